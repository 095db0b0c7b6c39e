"""The last scrape, and its age."""

import asyncio
from collections.abc import Sequence

import pytest

from exporters.cache import Cache
from exporters.collector import Point
from stack.metrics import catalog
from stack.metrics.family import Label


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Scrapes:
    """Each tells its number; one that is `broken` fails."""

    def __init__(self) -> None:
        self.number, self.broken = 0, False

    async def __call__(self) -> Sequence[Point]:
        self.number += 1
        if self.broken:
            raise RuntimeError("broken")
        return [Point(catalog.BUILD_INFO, {Label.VERSION: str(self.number)}, 1.0)]


def values(document: bytes) -> list[str]:
    return [line for line in document.decode().splitlines() if not line.startswith("#")]


async def test_samples_are_told_with_their_age_until_the_next_scrape() -> None:
    clock, scrapes = Clock(), Scrapes()
    cache = Cache(scrapes, 15.0, clock)
    assert cache.document() == b""
    await cache.refresh()
    clock.now += 10.0
    assert values(cache.document()) == ['kvdeck_build_info{version="1"} 1.0', "kvdeck_exporter_sample_age_seconds 10.0"]
    await cache.refresh()
    assert values(cache.document()) == ['kvdeck_build_info{version="2"} 1.0', "kvdeck_exporter_sample_age_seconds 0.0"]


async def test_samples_older_than_two_intervals_are_dropped_and_their_age_told() -> None:
    clock, scrapes = Clock(), Scrapes()
    cache = Cache(scrapes, 15.0, clock)
    await cache.refresh()
    scrapes.broken = True
    clock.now += 30.0
    await cache.refresh()
    assert len(values(cache.document())) == 2
    clock.now += 0.1
    assert values(cache.document()) == ["kvdeck_exporter_sample_age_seconds 30.099999999999994"]


async def test_it_scrapes_once_an_interval_whatever_a_scrape_takes() -> None:
    clock, scrapes, slept = Clock(), Scrapes(), []

    async def slow() -> Sequence[Point]:
        clock.now += 4.0 if scrapes.number == 0 else 20.0
        return await scrapes()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 2:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await Cache(slow, 15.0, clock).run(sleep)
    assert slept == [11.0, 0.0]
