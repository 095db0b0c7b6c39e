"""The state tells each field's desired, applied and observed, and since when they differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from stack.control.link import RefusedConfig, RouterReport
from stack.router.recording import record_of
from tests.stack.api.deck import Deck, deck
from tests.stack.router.errands import ROUTE, errand

THRESHOLD = "models.smollm2.dpd.routing_threshold"


async def field(it: Deck, name: str = THRESHOLD) -> dict[str, Any]:
    fields: dict[str, dict[str, Any]] = {one["field"]: one for one in (await it.state())["fields"]}
    return fields[name]


def held(value: object, *by: str) -> dict[str, Any]:
    return {"by": list(by), "value": value, "known": True}


async def test_routers_that_follow_one_after_the_other_tell_by_which_value_each_goes_and_since_when(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        first, second = it.router("router-0"), it.router("router-1")
        await first.follow()
        await second.follow()
        changed = it.clock.wall()
        await it.patch({"dpd": {"routing_threshold": 64}})
        it.clock.advance(1.0)
        await first.follow()
        await second.report()
        assert await field(it) == {
            "field": THRESHOLD,
            "desired": 64,
            "applied": [held(64, "router-0"), held(512, "router-1")],
            "observed": None,
            "reason": "router-1 applies generation 1, desired is 2",
            "since": changed,
        }
        await second.follow()
        now = await field(it)
        assert (now["applied"], now["reason"], now["since"]) == ([held(64, "router-0", "router-1")], None, None)


async def test_after_a_restart_an_older_generation_is_read_from_what_was_kept(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        await it.patch({"dpd": {"routing_threshold": 64}})
        lagging = it.router()
        await lagging.fetch()
        await it.patch({"dpd": {"routing_threshold": 128}})
    async with deck(tmp_path) as it:
        again = it.router()
        again.config = lagging.config
        await again.report()
        now = await field(it)
    assert (now["desired"], now["applied"]) == (128, [held(64, "router-0")])


async def test_without_a_report_nothing_is_known_to_be_applied(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        now = await field(it)
        assert (now["applied"], now["reason"], now["since"]) == ([], "no router reports", it.clock.wall())


async def test_requests_of_the_last_minute_are_seen(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        record = record_of(errand(route=msgspec.structs.replace(ROUTE, model="smollm2"), at=it.clock.wall()))
        await it.router().report(record, msgspec.structs.replace(record, at=it.clock.wall(), path="direct"))
        assert (await field(it, "models.smollm2.dpd.enabled"))["observed"] == "1 of the last 2 requests were disaggregated"
        it.clock.advance(61.0)
        assert (await field(it, "models.smollm2.dpd.enabled"))["observed"] is None


async def test_what_a_router_refuses_stays_visible_with_its_reason(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        router = it.router()
        await router.follow()
        await it.patch({"dpd": {"routing_threshold": 64}})
        refused = RefusedConfig(version=it.control.board.version, generation=2, reason="unknown strategy 'magic'")
        report = RouterReport(id="router-0", version=router.config.version if router.config else -1, generation=1, refused=refused)
        await it.http.post("/v1/routers/router-0/report", content=msgspec.json.encode(report))
        now = await field(it)
    assert now["applied"] == [held(512, "router-0")]
    assert now["reason"] == "router-0 applies generation 1, desired is 2; refuses generation 2: unknown strategy 'magic'"
