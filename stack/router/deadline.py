"""A deadline that moves often: its timer looks at it when it fires, instead of being set anew each time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Deadline:
    """Calls `on_time` once the present deadline has passed; a new one replaces it."""

    def __init__(self, on_time: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_time = on_time
        self._at: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def set(self, seconds: float | None) -> None:
        """So many seconds from now; None: never."""
        self._at = None if seconds is None else self._loop.time() + seconds
        if self._at is not None and (self._timer is None or self._timer.when() > self._at):
            self._arm(self._at)

    def cancel(self) -> None:
        """No call any more."""
        self._at = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(at, self._fire)

    def _fire(self) -> None:
        self._timer = None
        if self._at is None:
            return
        if self._loop.time() < self._at:
            self._arm(self._at)
        else:
            self._at = None
            self._on_time()
