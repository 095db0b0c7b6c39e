"""Whether a request may go to an engine now, waits its turn in the router, or is refused: only where limits are configured."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from enum import StrEnum
from itertools import count

from stack.control.state import LoadLimits
from stack.fleet.engine import Engine
from stack.fleet.snapshot import Fleet
from stack.model.tier import Pool
from stack.router.in_flight import InFlight
from stack.router.lineup import Lineup


class Refusal(StrEnum):
    """Why a request is refused with 429; a closed set, for it becomes a metric label."""

    IN_FLIGHT = "in_flight"
    ENGINES_FULL = "engines_full"
    QUEUE_FULL = "queue_full"
    QUEUE_TIMEOUT = "queue_timeout"


class OverLimitError(Exception):
    """The request is not carried out, for `refusal`."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal


class Admission:
    """First come, first served, name by name: a model's adapters share its limits, but not all its engines.

    Nothing is done per request until one has to wait.
    """

    def __init__(self, in_flight: InFlight, lineup: Lineup, fleet: Callable[[], Fleet]) -> None:
        """`fleet` is the one of now: engines that join while a request waits take it."""
        self._in_flight = in_flight
        self._lineup = lineup
        self._fleet = fleet
        self._lines: dict[str, deque[_Turn]] = {}
        self._numbers = count()

    def queued(self, model: str) -> int:
        """Requests for `model` and its adapters that wait here."""
        return sum(len(line) for line in self._lines.values() if line[0].model == model)

    async def enter(self, name: str, limits: LoadLimits, model: str | None = None) -> None:
        """Return when a request for `name` may go, where it is an adapter one for `model`. Raises OverLimitError.

        It must be counted as in flight before anything else runs.
        """
        model = model or name
        obstacle = self._obstacle(name, model, limits)
        if not self._lines.get(name) and obstacle is None:
            return
        if self.queued(model) >= self._room(name, limits):
            raise OverLimitError(Refusal.QUEUE_FULL if limits.queue or obstacle is None else obstacle)
        await self._wait(_Turn(name, model, limits, next(self._numbers)))

    def fleet_changed(self, before: Fleet, after: Fleet) -> None:
        """A listener of the fleet keeper."""
        self.look()

    def look(self) -> None:
        """Something changed: let whoever is first in a line go, if it may. The next one follows when it has gone."""
        for turn in sorted((line[0] for line in self._lines.values()), key=lambda turn: turn.number):
            if not turn.come.done() and self._obstacle(turn.name, turn.model, turn.limits) is None:
                turn.come.set_result(None)

    async def _wait(self, turn: _Turn) -> None:
        line = self._lines.setdefault(turn.name, deque())
        line.append(turn)
        self._in_flight.freed = self.look
        try:
            async with asyncio.timeout(turn.limits.queue_seconds):
                await turn.come
                while self._obstacle(turn.name, turn.model, turn.limits) is not None:
                    # What had ended was one leg of a request whose next one has begun since, or an older turn took it.
                    turn.come = asyncio.get_running_loop().create_future()
                    await turn.come
        except TimeoutError:
            raise OverLimitError(Refusal.QUEUE_TIMEOUT) from None
        finally:
            line.remove(turn)
            if not line:
                del self._lines[turn.name]
            if self._lines:
                asyncio.get_running_loop().call_soon(self.look)  # after this request was counted
            else:
                self._in_flight.freed = None

    def _obstacle(self, name: str, model: str, limits: LoadLimits) -> Refusal | None:
        """What keeps a request from going now. That no engine is ready is another matter, and none of this one."""
        if limits.in_flight is not None and self._under_way(model) >= limits.in_flight:
            return Refusal.IN_FLIGHT
        if limits.in_flight_per_engine is not None and (ready := self._ready(name)) and not within(ready, limits):
            return Refusal.ENGINES_FULL
        return None

    def _under_way(self, model: str) -> int:
        """Requests for `model` and its adapters: each is at one decode engine from its first leg on."""
        counts = self._in_flight.counts
        return sum(counts.get(engine.name, 0) for engine in self._fleet().of_model(model) if engine.pool is Pool.DECODE)

    def _room(self, name: str, limits: LoadLimits) -> int:
        if limits.queue_per_engine is None:
            return limits.queue
        return min(limits.queue, limits.queue_per_engine * len(self._ready(name)))

    def _ready(self, name: str) -> tuple[Engine, ...]:
        return self._lineup.candidates(self._fleet(), name, Pool.DECODE)


def within(engines: tuple[Engine, ...], limits: LoadLimits) -> tuple[Engine, ...]:
    """Those that may be given one more request."""
    most = limits.in_flight_per_engine
    return engines if most is None else tuple(engine for engine in engines if engine.in_flight < most)


class _Turn:
    """One request's place in a line; `come` is done when it may go."""

    __slots__ = ("come", "limits", "model", "name", "number")

    def __init__(self, name: str, model: str, limits: LoadLimits, number: int) -> None:
        self.name = name
        self.model = model
        self.limits = limits
        self.number = number
        self.come: asyncio.Future[None] = asyncio.get_running_loop().create_future()
