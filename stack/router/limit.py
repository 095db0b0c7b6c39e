"""How long something of an engine is waited for: all limits are looked at together, so that none needs a timer of its own."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Protocol

import msgspec

TICK_S = 0.1  # a limit may strike so much late, and never early


class Interruptible(Protocol):
    """What can be waited on."""

    def interrupt(self, why: str) -> None:
        """End the wait for good."""
        ...


class Limit(msgspec.Struct, eq=False):
    """The limit of one wait after the other. `expired` once time ran out, or `end` was called."""

    _limits: Limits
    _seconds: float | None
    _what: str
    _at: float
    _wait: Interruptible | None = None
    expired: bool = False

    def set(self, seconds: float | None, what: str = "") -> None:
        """From now on so many seconds; None: for ever. `what` are the words that come before the seconds when they ran out."""
        self._seconds = seconds
        self._what = what
        self._at = math.inf if seconds is None else self._limits.now() + seconds

    def left(self) -> float:
        """Seconds that remain; 0 when none do."""
        return 0.0 if self.expired else max(self._at - self._limits.now(), 0.0)

    def guard(self, wait: Interruptible) -> None:
        """It is `wait` that ends with this limit; at once when it has struck already."""
        self._wait = wait
        if self.expired:
            wait.interrupt(self.words)

    @property
    def guarding(self) -> bool:
        """Something was begun that this limit ends."""
        return self._wait is not None

    def end(self) -> None:
        """Strike now."""
        self.expired = True
        if self._wait is not None:
            self._wait.interrupt(self.words)

    def strike(self, now: float) -> None:
        """Strike if it is time."""
        if self._at <= now and not self.expired:
            self.end()

    def drop(self) -> None:
        """Nothing is waited for any more."""
        self._limits.live.discard(self)
        self._wait = None

    @property
    def words(self) -> str:
        return f"{self._what} {self._seconds:g} s" if self._seconds is not None else "the wait was ended"


class Limits:
    """All limits in force. The timer runs only while there are any."""

    def __init__(self) -> None:
        self.live: set[Limit] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._time: Callable[[], float] | None = None

    def start(self, seconds: float, what: str) -> Limit:
        """A limit of so many seconds from now. `drop` it at the end."""
        time = self._time or self._clock()
        limit = Limit(self, seconds, what, time() + seconds)
        self.live.add(limit)
        if self._timer is None:
            self._arm()
        return limit

    def now(self) -> float:
        """The loop's clock, in seconds."""
        return (self._time or self._clock())()

    def close(self) -> None:
        """No limit strikes any more."""
        self.live.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _clock(self) -> Callable[[], float]:
        self._time = time = asyncio.get_running_loop().time
        return time

    def _arm(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(TICK_S, self._tick)

    def _tick(self) -> None:
        self._timer = None
        now = self.now()
        for limit in tuple(self.live):
            limit.strike(now)
        if self.live:
            self._arm()
