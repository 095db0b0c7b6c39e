"""A collector may fail in any way: it costs its own target, and only that."""

import asyncio
import logging
from collections.abc import Callable, Sequence

import pytest

from exporters.collector import Point, Seen
from exporters.guard import Guard
from stack.metrics import catalog
from stack.metrics.family import Label

HELD = Point(catalog.BUILD_INFO, {Label.VERSION: "held"}, 1.0)
SAW = Point(catalog.BUILD_INFO, {Label.VERSION: "saw"}, 1.0)
LABELS = {Label.COLLECTOR: "fake", Label.TARGET: "t"}


class Fake:
    stage = 0

    def __init__(self, fails: Callable[[], None] = lambda: None, hangs: bool = False) -> None:
        self.fails, self.hangs = fails, hangs

    def targets(self) -> Sequence[str]:
        return ["t"]

    async def read(self, target: str) -> Seen:
        self.fails()
        if self.hangs:
            await asyncio.Event().wait()
        return Seen([SAW])

    def unread(self, target: str) -> Sequence[Point]:
        return [HELD]

    def forget(self, target: str) -> None: ...

    async def close(self) -> None: ...


def ticking() -> Callable[[], float]:
    ticks = iter(range(100))
    return lambda: float(next(ticks))


def bad() -> None:
    raise RecursionError("any error")


async def points(collector: Fake, guard: Guard) -> list[Point]:
    return list((await guard.attempt("fake", collector, "t", 0.01)).points())


async def test_a_success_says_so_and_gives_what_was_seen() -> None:
    assert await points(Fake(), Guard(ticking())) == [
        Point(catalog.SCRAPE_COLLECTOR_SUCCESS, LABELS, 1.0),
        Point(catalog.SCRAPE_COLLECTOR_DURATION, LABELS, 1.0),
        SAW,
    ]


@pytest.mark.parametrize("collector", [Fake(fails=bad), Fake(hangs=True)], ids=["raises", "hangs"])
async def test_a_failure_says_so_and_gives_what_holds_all_the_same(collector: Fake) -> None:
    assert await points(collector, Guard(ticking())) == [
        Point(catalog.SCRAPE_COLLECTOR_SUCCESS, LABELS, 0.0),
        Point(catalog.SCRAPE_COLLECTOR_DURATION, LABELS, 1.0),
        HELD,
    ]


async def test_a_failure_is_logged_when_it_begins_and_when_it_ends(caplog: pytest.LogCaptureFixture) -> None:
    guard, good, failing = Guard(ticking()), Fake(), Fake(fails=bad)
    with caplog.at_level(logging.INFO):
        for collector in (good, failing, failing, good, good):
            await points(collector, guard)
    assert [(record.message, vars(record)["target"]) for record in caplog.records] == [
        ("target cannot be read", "t"),
        ("target can be read again", "t"),
    ]


async def test_a_target_that_is_listed_again_fails_anew(caplog: pytest.LogCaptureFixture) -> None:
    guard, failing = Guard(ticking()), Fake(fails=bad)
    for _ in range(2):
        await points(failing, guard)
        guard.forget("fake", "t")
    assert [record.message for record in caplog.records] == ["target cannot be read"] * 2
