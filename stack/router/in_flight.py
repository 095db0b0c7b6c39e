"""What this router has sent to engines and not seen the end of: its own count, which no probe ever resets."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType


class Attempt:
    """One request at one engine, until its end. `limit` is the deadline in force, if its wait may be cut short."""

    __slots__ = ("abandoned", "engine", "limit")

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.abandoned = False
        self.limit: asyncio.Timeout | None = None

    def abandon(self) -> None:
        """End the wait for a first byte now; does nothing once bytes flow or when the wait is over."""
        if self.limit is not None and not self.limit.expired():
            self.abandoned = True
            self.limit.reschedule(0.0)


class InFlight:
    """Attempts by engine."""

    def __init__(self) -> None:
        self._attempts: dict[str, set[Attempt]] = {}
        self._counts: dict[str, int] = {}
        self.counts: Mapping[str, int] = MappingProxyType(self._counts)

    @contextmanager
    def attempt(self, engine: str) -> Iterator[Attempt]:
        """Count one request at `engine` for as long as the block runs."""
        attempt = Attempt(engine)
        self._attempts.setdefault(engine, set()).add(attempt)
        self._counts[engine] = self._counts.get(engine, 0) + 1
        try:
            yield attempt
        finally:
            self._attempts[engine].discard(attempt)
            self._counts[engine] -= 1

    def abandon(self, engine: str) -> None:
        """End every wait for a first byte from `engine`."""
        for attempt in tuple(self._attempts.get(engine, ())):
            attempt.abandon()

    @property
    def total(self) -> int:
        return sum(self._counts.values())
