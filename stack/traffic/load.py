"""Sends requests when they are due, whether or not earlier ones were answered."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Protocol

from stack.traffic.request import Outcome, Request
from stack.traffic.scenarios import Finished, Scenario

Make = Callable[[], tuple[Request, Finished]]
Due = tuple[float, Make]


class Asks(Protocol):
    """The client, as far as the load needs it."""

    async def ask(self, request: Request, began: float) -> tuple[Outcome, str | None]: ...


def poisson(scenario: Scenario, rate: float, duration: float | None, rng: random.Random) -> Iterator[Due]:
    """Arrivals at `rate` a second on average, independent of each other; for ever when `duration` (seconds) is None.

    A request is made when it is due, so a chat goes on with the answers that came before that.
    """
    due = 0.0
    while True:
        due += rng.expovariate(rate)
        if duration is not None and due > duration:
            return
        yield due, scenario.next


def recorded(trace: Iterator[tuple[float, Request]], duration: float | None) -> Iterator[Due]:
    """The requests of a trace that are due within `duration` seconds."""
    for due, request in trace:
        if duration is not None and due > duration:
            return
        yield due, partial(_unheard, request)


class Load:
    """Runs arrivals against a client. At most `limit` requests are under way; what is due beyond that is skipped and counted.

    `report` gets each outcome as it comes. Times are seconds of `clock`.
    """

    def __init__(
        self,
        client: Asks,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        report: Callable[[Outcome], None],
        limit: int,
    ) -> None:
        self._client = client
        self._clock = clock
        self._sleep = sleep
        self._report = report
        self._limit = limit
        self.in_flight = 0
        self.skipped = 0

    async def run(self, arrivals: Iterator[Due]) -> None:
        """Until the arrivals end and all is answered. Cancelled, it leaves at once and reports nothing of what is under way."""
        began = self._clock()
        async with asyncio.TaskGroup() as tasks:
            for due, make in arrivals:
                await self._sleep(max(0.0, began + due - self._clock()))
                if self.in_flight >= self._limit:
                    self.skipped += 1
                    continue
                self.in_flight += 1
                tasks.create_task(self._ask(*make(), began))

    async def _ask(self, request: Request, finished: Finished, began: float) -> None:
        text: str | None = None
        try:
            outcome, text = await self._client.ask(request, began)
            self._report(outcome)
        finally:
            self.in_flight -= 1
            finished(text)


def _unheard(request: Request) -> tuple[Request, Finished]:
    """A request whose answer changes nothing that is asked later."""
    return request, lambda text: None
