from __future__ import annotations

import msgspec

from stack.api.routers import ROUTERS_MAX, Routers
from stack.control.link import RefusedConfig, RouterReport
from tests.stack.api.deck import Clock


def _report(name: str, version: int = 1) -> RouterReport:
    return RouterReport(id=name, version=version, generation=1)


def test_a_router_is_live_for_five_seconds_and_remembered_for_ten_minutes() -> None:
    clock = Clock()
    routers = Routers(clock)
    routers.take(_report("a"))
    clock.advance(5)
    assert [report.id for report in routers.live()] == ["a"]
    clock.advance(1)
    assert routers.live() == ()
    assert [(view.id, view.age_seconds, view.live) for view in routers.views()] == [("a", 6.0, False)]
    clock.advance(600)
    routers.take(_report("b"))
    assert [view.id for view in routers.views()] == ["b"]


def test_only_live_routers_that_lag_are_pending() -> None:
    clock = Clock()
    routers = Routers(clock)
    routers.take(_report("dead", version=1))
    clock.advance(6)
    routers.take(_report("slow", version=1))
    routers.take(_report("fresh", version=3))
    assert routers.pending(2) == ("slow",)


def test_where_no_router_is_alive_nobody_hears() -> None:
    clock = Clock()
    routers = Routers(clock)
    said = [routers.unheard]
    routers.take(_report("a"))
    said.append(routers.unheard)
    clock.advance(6)
    said.append(routers.unheard)
    assert said == [True, False, True]


def test_ids_from_the_network_cannot_fill_the_memory() -> None:
    clock = Clock()
    routers = Routers(clock)
    for number in range(ROUTERS_MAX + 50):
        routers.take(_report(f"r{number:04}"))
    views = routers.views()
    assert len(views) == ROUTERS_MAX
    assert views[0].id == "r0050"


async def test_nobody_waits_for_a_router_that_refused_but_it_has_not_followed() -> None:
    routers = Routers(Clock())
    routers.take(_report("fresh", version=3))
    refused = RefusedConfig(version=3, generation=2, reason="of a newer release")
    routers.take(msgspec.structs.replace(_report("old", version=1), refused=refused))
    assert await routers.acknowledged(3, 600.0) == ("old",)
