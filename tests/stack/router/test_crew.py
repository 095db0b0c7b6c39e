"""Workers are kept running, and ended together."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import pytest

from stack.router.crew import Crew, CrewError
from tests.stack.router.waiting import until


@dataclass
class Fake:
    """A worker that ends when it is told to, unless it is `stubborn`."""

    number: int
    good: bool = True
    stubborn: bool = False
    status: asyncio.Future[int] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    told: bool = False

    async def serves(self) -> bool:
        if not self.good:
            self.close(1)
        return self.good

    async def wait(self) -> int:
        return await asyncio.shield(self.status)

    def end(self) -> None:
        self.told = True
        if not self.stubborn:
            self.close(0)

    def kill(self) -> None:
        self.close(-9)

    def close(self, status: int) -> None:
        if not self.status.done():
            self.status.set_result(status)


@dataclass
class Ship:
    """A crew over fakes: who was started, whose end was told, which pauses were asked for."""

    good: list[bool] = field(default_factory=list)
    stubborn: bool = False
    started: list[Fake] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    pauses: list[tuple[int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        ticks = itertools.count(0.0, 5.0)
        self.crew = Crew(2, self._start, self._pause, self.ended.append, lambda: next(ticks))

    async def _start(self, number: int) -> Fake:
        self.started.append(Fake(number, self.good.pop(0) if self.good else True, self.stubborn))
        return self.started[-1]

    def _pause(self, number: int, up: float) -> float:
        self.pauses.append((number, up))
        return 0.0


@asynccontextmanager
async def _sailing(ship: Ship) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(ship.crew.run())
    await until(lambda: len(ship.started) >= 2)
    yield task
    task.cancel()
    with suppress(asyncio.CancelledError, CrewError):
        await task


async def test_a_worker_that_ends_is_started_again_after_its_pause() -> None:
    ship = Ship()
    async with _sailing(ship):
        ship.started[1].close(139)
        await until(lambda: len(ship.started) == 3)
        assert [fake.number for fake in ship.started] == [0, 1, 1]
        assert (ship.ended, ship.pauses, ship.crew.restarts) == ([1], [(1, 5.0)], 1)
        assert ship.crew.running == {0, 1}


async def test_all_are_told_to_end_and_none_is_started_again() -> None:
    ship = Ship()
    async with _sailing(ship) as task:
        await ship.crew.stop(5.0)
        await task
    assert [fake.told for fake in ship.started] == [True, True]
    assert (ship.crew.running, ship.crew.restarts) == (frozenset(), 0)


async def test_who_does_not_end_in_time_is_killed() -> None:
    ship = Ship(stubborn=True)
    async with _sailing(ship) as task:
        await ship.crew.stop(0.01)
        await task
    assert [fake.status.result() for fake in ship.started] == [-9, -9]


async def test_a_first_start_that_fails_ends_the_router() -> None:
    ship = Ship(good=[True, False])
    async with _sailing(ship) as task:
        with pytest.raises(CrewError, match="worker 1 ended with status 1 before it served"):
            await task
    assert ship.started[0].status.result() == -9


async def test_a_later_start_that_fails_is_tried_again() -> None:
    ship = Ship(good=[True, True, False])
    async with _sailing(ship):
        ship.started[1].close(1)
        await until(lambda: len(ship.started) == 4)
        assert ship.crew.restarts == 2
