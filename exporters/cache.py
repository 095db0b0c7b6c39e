"""The last scrape, kept for whoever asks until the next: opt-in, for many readers or slow targets."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from exporters.collector import Point
from exporters.render import render
from stack.metrics import catalog

log = logging.getLogger(__name__)

# Samples that are older say nothing of now.
INTERVALS = 2


@dataclass(frozen=True, slots=True)
class _Kept:
    at: float
    document: bytes


class Cache:
    """Scrapes every `interval` seconds and keeps the document. What is older than two intervals is dropped, not shown."""

    def __init__(self, scrape: Callable[[], Awaitable[Sequence[Point]]], interval: float, clock: Callable[[], float]) -> None:
        self._scrape = scrape
        self._interval = interval
        self._clock = clock
        self._kept: _Kept | None = None

    def document(self) -> bytes:
        """The last scrape's exposition and its age, or its age alone (nothing before the first) when it is too old."""
        if self._kept is None:
            return b""
        age = self._clock() - self._kept.at
        own = render([Point(catalog.EXPORTER_SAMPLE_AGE, {}, age)])
        return own if age > INTERVALS * self._interval else self._kept.document + own

    async def run(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Scrape and keep, for ever."""
        while True:
            began = self._clock()
            await self.refresh()
            await sleep(max(0.0, self._interval - (self._clock() - began)))

    async def refresh(self) -> None:
        """Scrape once; a scrape that fails keeps the one before, which ages."""
        at = self._clock()
        try:
            points = await self._scrape()
            # In a thread: thousands of series take a quarter of a second to write, and readers are waiting.
            document = await asyncio.to_thread(render, points)
        except Exception as error:  # whatever it is, the next scrape may work; its age tells
            log.warning("scrape failed", extra={"error": type(error).__name__, "detail": str(error)[:200]})
            return
        self._kept = _Kept(at, document)
