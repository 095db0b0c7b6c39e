"""One collector on one target: bounded in time, its failure told and contained."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from exporters.collector import Collector, Point, Seen
from stack.metrics import catalog
from stack.metrics.family import Label

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Attempt:
    """How reading one target went. When it failed `seen` is None, and `unread` what holds all the same."""

    collector: str
    target: str
    seconds: float
    seen: Seen | None
    unread: Sequence[Point] = ()

    def points(self) -> Iterator[Point]:
        """Whether it succeeded and how long it took; then what it saw, if anything."""
        labels = {Label.COLLECTOR: self.collector, Label.TARGET: self.target}
        yield Point(catalog.SCRAPE_COLLECTOR_SUCCESS, labels, float(self.seen is not None))
        yield Point(catalog.SCRAPE_COLLECTOR_DURATION, labels, self.seconds)
        yield from self.unread if self.seen is None else self.seen.points


class Guard:
    """Runs collectors so that a bad target costs only its own series; logs when a target starts or stops failing."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failing: set[tuple[str, str]] = set()

    async def attempt(self, name: str, collector: Collector, target: str, seconds: float) -> Attempt:
        """Read `target` within `seconds`. Never raises but for cancellation."""
        start = self._clock()
        try:
            async with asyncio.timeout(seconds):
                seen = await collector.read(target)
        except Exception as error:  # a collector may fail in any way; the scrape must not
            self._failed(name, target, error)
            return Attempt(name, target, self._clock() - start, None, collector.unread(target))
        self._succeeded(name, target)
        return Attempt(name, target, self._clock() - start, seen)

    def forget(self, name: str, target: str) -> None:
        """The target is gone: whether one of its name fails later is news."""
        self._failing.discard((name, target))

    def _failed(self, name: str, target: str, error: Exception) -> None:
        if (name, target) not in self._failing:
            self._failing.add((name, target))
            fields = {"collector": name, "target": target, "error": type(error).__name__, "detail": str(error)[:200]}
            log.warning("target cannot be read", extra=fields)

    def _succeeded(self, name: str, target: str) -> None:
        if (name, target) in self._failing:
            self._failing.discard((name, target))
            log.info("target can be read again", extra={"collector": name, "target": target})
