"""Whether a request may go to an engine now, waits its turn in the router, or is refused: only where limits are configured."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from enum import StrEnum

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
    """First come, first served, model by model. Nothing is done per request until one has to wait."""

    def __init__(self, in_flight: InFlight, lineup: Lineup, fleet: Callable[[], Fleet]) -> None:
        """`fleet` is the one of now: engines that join while a request waits take it."""
        self._in_flight = in_flight
        self._lineup = lineup
        self._fleet = fleet
        self._lines: dict[str, deque[_Turn]] = {}

    def queued(self, model: str) -> int:
        """Requests for `model` that wait here."""
        return len(self._lines.get(model, ()))

    async def enter(self, model: str, limits: LoadLimits) -> None:
        """Return when the request may go. It must be counted as in flight before anything else runs. Raises OverLimitError."""
        obstacle = self._obstacle(model, limits)
        line = self._lines.setdefault(model, deque())
        if not line and obstacle is None:
            return
        if len(line) >= self._room(model, limits):
            raise OverLimitError(Refusal.QUEUE_FULL if limits.queue or obstacle is None else obstacle)
        await self._wait(line, _Turn(model, limits))

    def fleet_changed(self, before: Fleet, after: Fleet) -> None:
        """A listener of the fleet keeper."""
        self.look()

    def look(self) -> None:
        """Something changed: let whoever is first in a line go, if it may. The next one follows when it has gone."""
        for line in self._lines.values():
            if line and not line[0].come.done() and self._obstacle(line[0].model, line[0].limits) is None:
                line[0].come.set_result(None)

    async def _wait(self, line: deque[_Turn], turn: _Turn) -> None:
        line.append(turn)
        self._in_flight.freed = self.look
        try:
            async with asyncio.timeout(turn.limits.queue_seconds):
                await turn.come
                while self._obstacle(turn.model, turn.limits) is not None:
                    # What had ended was one leg of a request whose next one has begun since.
                    turn.come = asyncio.get_running_loop().create_future()
                    await turn.come
        except TimeoutError:
            raise OverLimitError(Refusal.QUEUE_TIMEOUT) from None
        finally:
            line.remove(turn)
            if any(self._lines.values()):
                asyncio.get_running_loop().call_soon(self.look)  # after this request was counted
            else:
                self._in_flight.freed = None

    def _obstacle(self, model: str, limits: LoadLimits) -> Refusal | None:
        """What keeps a request from going now. That no engine is ready is another matter, and none of this one."""
        if limits.in_flight is not None and self._under_way(model) >= limits.in_flight:
            return Refusal.IN_FLIGHT
        if limits.in_flight_per_engine is not None and (ready := self._ready(model)) and not within(ready, limits):
            return Refusal.ENGINES_FULL
        return None

    def _under_way(self, model: str) -> int:
        """Requests for `model`: each is at one decode engine from its first leg on."""
        counts = self._in_flight.counts
        return sum(counts.get(engine.name, 0) for engine in self._fleet().of_model(model) if engine.pool is Pool.DECODE)

    def _room(self, model: str, limits: LoadLimits) -> int:
        if limits.queue_per_engine is None:
            return limits.queue
        return min(limits.queue, limits.queue_per_engine * len(self._ready(model)))

    def _ready(self, model: str) -> tuple[Engine, ...]:
        return self._lineup.candidates(self._fleet(), model, Pool.DECODE)


def within(engines: tuple[Engine, ...], limits: LoadLimits) -> tuple[Engine, ...]:
    """Those that may be given one more request."""
    most = limits.in_flight_per_engine
    return engines if most is None else tuple(engine for engine in engines if engine.in_flight < most)


class _Turn:
    """One request's place in a line; `come` is done when it may go."""

    __slots__ = ("come", "limits", "model")

    def __init__(self, model: str, limits: LoadLimits) -> None:
        self.model = model
        self.limits = limits
        self.come: asyncio.Future[None] = asyncio.get_running_loop().create_future()
