"""Work beside a drill."""

import asyncio
from collections.abc import Callable, Coroutine

import pytest

from stack.drill.meanwhile import meanwhile

Work = Callable[[], Coroutine[None, None, None]]


async def endless() -> None:
    await asyncio.Event().wait()


async def failing() -> None:
    raise ConnectionError("the engine is gone")


def beside(work: Work, fault: Exception | None = None) -> None:
    async def play() -> None:
        async with meanwhile(work()):
            await asyncio.sleep(0)
            if fault is not None:
                raise fault

    asyncio.run(play())


def test_it_ends_with_the_drill() -> None:
    beside(endless)


def test_its_own_failure_is_told() -> None:
    with pytest.raises(ConnectionError):
        beside(failing)


def test_what_the_drill_failed_of_is_told_first() -> None:
    with pytest.raises(KeyError):
        beside(failing, KeyError("late"))
