"""Every change has a report of its own, which outlives control."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stack.api.reporter import CUT_SHORT
from stack.control.decision import Arm, DecisionRecord
from stack.control.state import Desired
from stack.control.tiers import L2, StoreLimits, Tiers
from tests.decisions import decision
from tests.stack.api.deck import Deck, Router, deck
from tests.stack.control.samples import desired

WALL = 1_700_000_000.0


def served(count: int, generation: int, begin: float, ttft: float) -> list[DecisionRecord]:
    return [
        decision(
            generation=generation, at=WALL + begin + number, ttft_seconds=ttft + number * 1e-4, total_seconds=1.0, output_tokens=9
        )
        for number in range(count)
    ]


async def report(it: Deck, generation: int) -> Any:
    answer = await it.http.get(f"/v1/reports/{generation}")
    assert answer.status_code == 200, answer.text
    (one,) = answer.json()["reports"]
    return one


async def changed(it: Deck, router: Router) -> None:
    """Generation 2, with 80 requests before it and 80 after it, settled at second 10."""
    await router.follow()
    await router.report(*served(80, 1, 920.0, 0.4))
    assert (await it.patch({"strategy": "session"})).status_code in (200, 202)
    await router.report(*served(3, 2, 1_001.0, 9.0))
    it.clock.advance(10)
    await router.follow()
    await it.control.reporter.look()
    await router.report(*served(80, 2, 1_010.0, 0.2))


async def test_a_change_is_told_from_what_was_before(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await changed(it, it.router())
        told = await report(it, 2)
        assert (told["generation"], told["model"], told["complete"], told["settled_seconds"]) == (2, "smollm2", False, 10.0)
        assert (told["before"]["requests"], told["after"]["requests"], told["settling"]) == (80, 80, 3)
        assert told["changes"] == [{"field": "models.smollm2.strategy", "before": "prefix_aware", "after": "session"}]
        (ttft,) = [row for row in told["rows"] if row["quantity"] == "ttft_p50_seconds"]
        assert (ttft["verdict"], ttft["before"]["samples"], ttft["after"]["samples"]) == ("better", 80, 80)


async def test_a_report_is_kept_when_it_is_complete(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await changed(it, it.router())
        it.clock.advance(700)
        await it.control.reporter.look()
        told = await report(it, 2)
        assert told["complete"]
    async with deck(tmp_path) as again:
        assert await report(again, 2) == told


async def test_what_control_ended_in_the_middle_of_says_so(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await changed(it, it.router())
        await it.control.reporter.keep_unfinished()
        told = await report(it, 2)
        assert CUT_SHORT not in told["notes"]
    async with deck(tmp_path) as again:
        assert await report(again, 2) == told | {"notes": [CUT_SHORT, *told["notes"]]}


async def test_lost_records_are_told(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        await changed(it, router)
        await router.report(dropped=4)
        await it.control.reporter.look()
        assert any(note.startswith("4 decision records were lost") for note in (await report(it, 2))["notes"])


async def test_what_a_router_sends_again_is_told_once(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        await changed(it, router)
        await router.report(*served(2, 2, 1_020.0, 0.4), dropped=4)
        await router.again()
        await it.control.reporter.look()
        await router.again()
        await it.control.reporter.look()
        told = await report(it, 2)
        assert told["after"]["requests"] == 82
        assert any(note.startswith("4 decision records were lost") for note in told["notes"])


async def test_what_an_experiment_tries_is_on_neither_side(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        await changed(it, router)
        tried = decision(generation=2, at=WALL + 1_020, experiment="e", arm=Arm.CANDIDATE)
        await router.report(tried, decision(generation=2, at=WALL + 1_020, experiment="e", arm=Arm.CONTROL))
        assert (await report(it, 2))["after"]["requests"] == 81


async def test_a_price_is_no_change_of_its_own_and_tells_what_tokens_cost(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await changed(it, it.router())
        assert (await report(it, 2))["cost_after"]["unknown"] == "no gpu_hour_price is configured"
        prices = {"pools": {"prefill": {"gpu_hour_price": 1.0}, "decode": {"gpu_hour_price": 2.0}}}
        assert (await it.patch(prices)).status_code == 202
        assert (await it.http.get("/v1/reports/3")).status_code == 404
        cost = (await report(it, 2))["cost_after"]
        tokens = 80 * (181 + 9)
        assert cost["engine_hours"] == pytest.approx({"prefill": 79 / 3_600, "decode": 2 * 79 / 3_600})
        assert cost["per_million_tokens"] == pytest.approx(5 * 79 / 3_600 / tokens * 1e6)


async def test_what_changes_the_tiers_is_a_change_of_every_model(tmp_path: Path) -> None:
    (state,) = desired().models.values()
    async with deck(tmp_path, configured=Desired(models={"smollm2": state, "other": state})) as it:
        kept = it.control.board.kept
        tiers = Tiers(l2=L2(store=StoreLimits(maxmemory_bytes=1 << 30)))
        it.control.board.apply(replace(kept, generation=2, desired=msgspec.structs.replace(kept.desired, tiers=tiers)))
        answer = await it.http.get("/v1/reports/2")
        assert [one["model"] for one in answer.json()["reports"]] == ["other", "smollm2"]


async def test_there_are_reports_of_changes_only(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        for asked, status in (("1", 404), ("2", 404), ("x", 400), ("9" * 30, 400)):
            answer = await it.http.get(f"/v1/reports/{asked}")
            assert (answer.status_code, answer.json()["error"]["field"]) == (status, "generation")
        never = (await it.http.get("/v1/reports/0")).json()["error"]
        assert (never["field"], never["message"]) == ("generation", "there is no generation 0: the state is at 1")
        assert (await it.http.get("/v1/reports/1", params={"limit": "1"})).status_code == 400


async def test_a_store_that_cannot_be_written_costs_the_report_and_no_more(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with deck(tmp_path) as it:
        await changed(it, it.router())
    it.clock.advance(700)
    for _ in range(3):
        await it.control.reporter.look()
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == ["reports not kept"]
