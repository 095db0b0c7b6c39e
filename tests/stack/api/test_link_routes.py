from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from stack.control.decision import DecisionRecord
from tests.decisions import decision, disaggregated
from tests.stack.api.deck import Clock, deck


def _decision(number: int, **fields: Any) -> DecisionRecord:
    return decision(request_id=f"r{number}", at=float(number), strategy="prefix_aware", **fields)


async def test_a_router_gets_the_whole_configuration_once(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        config = await router.fetch()
        assert config is not None
        assert (config.generation, config.models, config.draining) == (1, it.control.board.desired.models, ())
        assert await router.fetch() is None


async def test_a_long_poll_answers_when_something_changes(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        first = await router.fetch()
        assert first is not None
        polling = asyncio.create_task(router.fetch(wait=30))
        await it.patch({"strategy": "session"})
        second = await polling
        assert second is not None
        assert (second.generation, second.version > first.version) == (2, True)


async def test_a_long_poll_ends_when_control_ends(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        await router.fetch()
        polling = asyncio.create_task(router.fetch(wait=30))
        await asyncio.sleep(0)
        it.control.board.close()
        assert await polling is None


async def test_a_router_of_an_earlier_control_gets_its_configuration_anew(tmp_path: Path) -> None:
    clock = Clock()
    async with deck(tmp_path, clock=clock) as before:
        router = before.router()
        old = await router.fetch()
    clock.advance(3)
    async with deck(tmp_path, clock=clock) as after:
        router.http = after.http
        new = await router.fetch()
    assert old is not None
    assert new is not None
    assert (new.generation, new.version > old.version) == (1, True)


async def test_bad_reports_are_refused(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        for body in (b"", b"{}", b"[" * 100_000, b'{"id":"other","version":1,"generation":1}'):
            answer = await it.http.post("/v1/routers/router-0/report", content=body)
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_report")
        assert (await it.state())["applied"]["routers"] == []


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("router%1B[2J", {}),
        ("router%0A", {}),
        ("router%200", {}),
        ("r" * 129, {}),
        ("router-0", {"generation": -5}),
        ("router-0", {"version": -2}),
        ("router-0", {"version": 2**60}),
        ("router-0", {"dropped": -1}),
        ("router-0", {"life": "1", "first": -1}),
        ("router-0", {"life": "", "first": 0}),
        ("router-0", {"engines": [{"name": "decode-0", "health": "ready", "in_flight": -3}]}),
        ("router-0", {"engines": [{"name": "decode-0", "health": "ready", "in_flight": 0, "health_age_seconds": -1.0}]}),
        ("router-0", {"refused": {"version": 1, "generation": -1, "reason": "no"}}),
    ],
)
async def test_what_no_router_can_mean_is_refused(tmp_path: Path, name: str, fields: dict[str, object]) -> None:
    async with deck(tmp_path) as it:
        report = {"id": unquote(name), "version": 1, "generation": 1} | fields
        answer = await it.http.post(f"/v1/routers/{name}/report", json=report)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_report")
        assert (await it.state())["applied"]["routers"] == []


async def test_a_version_that_nobody_was_told_acknowledges_nothing(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        ahead = {"id": "router-0", "version": it.control.board.version + 1_000, "generation": 1}
        assert (await it.http.post("/v1/routers/router-0/report", json=ahead)).status_code == 204
        answer = await it.patch({"strategy": "session"})
        assert (answer.status_code, answer.json()["pending"]) == (202, ["router-0"])


async def test_decisions_come_back_newest_first_and_filtered(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        await router.report(_decision(1), disaggregated(request_id="r2", at=2.0, engine="decode-1", strategy="prefix_aware"))
        await router.report(_decision(3, engine="decode-1"), dropped=4)

        async def ids(**params: str) -> list[str]:
            answer = await it.http.get("/v1/decisions", params=params)
            assert answer.json()["dropped"] == 4
            return [record["request_id"] for record in answer.json()["decisions"]]

        assert await ids() == ["r3", "r2", "r1"]
        assert await ids(limit="1") == ["r3"]
        assert await ids(path="dpd") == await ids(engine="prefill-0") == ["r2"]
        assert await ids(engine="decode-1") == ["r3", "r2"]
        assert await ids(model="other") == []
        assert await ids(strategy="prefix_aware", limit="2") == ["r3", "r2"]


async def test_decisions_that_are_sent_again_come_back_once_from_every_router_and_every_life_of_it(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        routers = it.router(), it.router("router-1"), it.router()  # the last one is the first one, restarted
        for number, router in enumerate(routers):
            await router.report(_decision(number), dropped=1)
        for router in reversed(routers):
            await router.again()
        told = (await it.http.get("/v1/decisions")).json()
        assert ([record["request_id"] for record in told["decisions"]], told["dropped"]) == (["r2", "r1", "r0"], 3)


async def test_what_a_router_of_another_release_refuses_or_goes_without_is_drift(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router, other = it.router(), it.router("router-1")
        await router.follow()
        config = await other.fetch()
        assert config is not None
        behind = {"id": "router-1", "version": config.version - 1, "generation": 0, "schema": 0}
        refused = {"version": config.version, "generation": 1, "reason": "unknown strategy 'magic'"}
        told = []
        for report in (behind | {"refused": refused}, behind | {"ignored": ["models.m.tint"], "version": config.version}):
            answer = await it.http.post("/v1/routers/router-1/report", json=report)
            assert answer.status_code == 204
            drift = {entry["field"]: entry["reason"] for entry in (await it.state())["drift"]}
            told.append(drift["applied.routers.router-1"])
    assert told == [
        "applies generation 0, desired is 1; refuses generation 1: unknown strategy 'magic'",
        "applies generation 0, desired is 1; is of another release (schema 0) and goes without models.m.tint",
    ]
