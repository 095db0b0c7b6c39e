"""What this router has sent to engines and not seen the end of: its own count, which no probe ever resets."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType


class Attempt:
    """One request at one engine, until its end. `limit` is the deadline in force, if its wait may be cut short.

    `tokens` is the prompt's length, None where that does not tell when to expect a first byte.
    """

    __slots__ = ("abandoned", "engine", "limit", "since", "tokens")

    def __init__(self, engine: str, tokens: int | None, since: float) -> None:
        self.engine = engine
        self.tokens = tokens
        self.since = since
        self.abandoned = False
        self.limit: asyncio.Timeout | None = None

    def abandon(self) -> None:
        """End the wait for a first byte now; does nothing once bytes flow or when the wait is over."""
        if self.limit is not None and not self.limit.expired():
            self.abandoned = True
            self.limit.reschedule(0.0)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Prompt tokens that wait for a first byte, and since when the engine has been silent with one of them; None: with none."""

    tokens: int
    since: float | None


class InFlight:
    """Attempts by engine."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._heard: dict[str, float] = {}
        self._attempts: dict[str, set[Attempt]] = {}
        self._counts: dict[str, int] = {}
        self.counts: Mapping[str, int] = MappingProxyType(self._counts)

    @contextmanager
    def attempt(self, engine: str, tokens: int | None = None) -> Iterator[Attempt]:
        """Count one request at `engine` for as long as the block runs."""
        attempt = Attempt(engine, tokens, self._clock())
        self._attempts.setdefault(engine, set()).add(attempt)
        self._counts[engine] = self._counts.get(engine, 0) + 1
        try:
            yield attempt
        finally:
            self._attempts[engine].discard(attempt)
            self._counts[engine] -= 1

    def heard(self, engine: str) -> None:
        """The engine produced something."""
        self._heard[engine] = self._clock()

    def waiting(self, engine: str) -> Waiting:
        """What `engine` has been given and not begun to answer."""
        waiting = [a for a in self._attempts.get(engine, ()) if a.limit is not None and a.tokens is not None]
        if not waiting:
            return Waiting(0, None)
        oldest = min(attempt.since for attempt in waiting)
        return Waiting(sum(attempt.tokens or 0 for attempt in waiting), max(oldest, self._heard.get(engine, oldest)))

    def abandon(self, engine: str) -> None:
        """End every wait for a first byte from `engine`."""
        for attempt in tuple(self._attempts.get(engine, ())):
            attempt.abandon()

    @property
    def total(self) -> int:
        return sum(self._counts.values())
