"""Virtual time: what is to happen, in order; nobody waits."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

Act = Callable[[], None]


class Agenda:
    """A clock that jumps from one appointment to the next. `now` is seconds; acts of one moment keep their order."""

    def __init__(self) -> None:
        self.now = 0.0
        self._appointments: list[tuple[float, int, Act]] = []
        self._order = count()

    def clock(self) -> float:
        """The present, for whoever wants a function."""
        return self.now

    def at(self, moment: float, act: Act) -> None:
        """Do `act` at `moment`; what is overdue is done now."""
        heapq.heappush(self._appointments, (max(moment, self.now), next(self._order), act))

    def after(self, seconds: float, act: Act) -> None:
        """Do `act` in `seconds`."""
        self.at(self.now + seconds, act)

    def run(self) -> None:
        """Until nothing is left to do."""
        while self._appointments:
            self.now, _, act = heapq.heappop(self._appointments)
            act()
