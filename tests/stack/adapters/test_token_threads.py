"""Beside the loop, but never without bound."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from stack.adapters.token_threads import SHORT_CHARACTERS, TokenThreads
from stack.model.placement import PlacementUnknownError, UnknownReason


@contextmanager
def pool(queue: int = 8, waits_s: float = 30.0) -> Iterator[TokenThreads]:
    made = TokenThreads(1, queue, waits_s)
    yield made
    made.close()


async def test_work_runs_in_another_thread() -> None:
    with pool() as threads:
        assert await threads.run(1, lambda wanted: (threading.get_ident(), wanted())) not in ((threading.get_ident(), True), None)


async def test_an_error_of_the_work_is_the_caller_s() -> None:
    def fail(wanted: Callable[[], bool]) -> None:
        raise PlacementUnknownError(UnknownReason.TEMPLATE_FAILED)

    with pool() as threads:
        with pytest.raises(PlacementUnknownError, match="template_failed"):
            await threads.run(1, fail)
        assert await threads.run(1, lambda wanted: 1) == 1


async def test_more_than_the_queue_holds_is_refused_at_once() -> None:
    release = threading.Event()
    with pool(queue=1) as threads:
        running = [asyncio.create_task(threads.run(1, lambda wanted: release.wait())) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(PlacementUnknownError) as caught:
            await threads.run(1, lambda wanted: True)
        release.set()
        assert await asyncio.gather(*running) == [True, True]
        assert await threads.run(1, lambda wanted: True)
    assert caught.value.reason is UnknownReason.TOKENIZER_BUSY


async def test_work_that_takes_too_long_is_given_up_and_told_so() -> None:
    ended = threading.Event()

    def endless(wanted: Callable[[], bool]) -> None:
        while wanted():
            pass
        ended.set()

    with pool(waits_s=0.01) as threads:
        with pytest.raises(PlacementUnknownError) as caught:
            await threads.run(1, endless)
        assert await asyncio.to_thread(ended.wait, 10.0)
    assert caught.value.reason is UnknownReason.TOKENIZER_BUSY


async def test_what_is_short_does_not_wait_for_what_is_long() -> None:
    release = threading.Event()
    with pool() as threads:
        long = asyncio.create_task(threads.run(SHORT_CHARACTERS + 1, lambda wanted: release.wait()))
        await asyncio.sleep(0)
        assert await threads.run(SHORT_CHARACTERS, lambda wanted: "short") == "short"
        assert not long.done()
        release.set()
        assert await long
