"""Tokenizing beside the event loop: a lane for short jobs and one for long ones, bounded queues, and a limit on the wait."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

from stack.model.placement import PlacementUnknownError, UnknownReason

T = TypeVar("T")

# What is tokenized in some 10 ms. Prompts that were mostly seen before have less that is new, and never wait for others' long ones.
SHORT_CHARACTERS = 32_768


class _Lane:
    """Threads with a count of what was given them and is not yet done."""

    def __init__(self, name: str, threads: int) -> None:
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix=f"tokens {name}")
        self.jobs = 0


class TokenThreads:
    """Runs what is too long for the loop. `threads` and `queue` are each lane's; `waits_s` bounds a job's wait and work."""

    def __init__(self, threads: int, queue: int, waits_s: float) -> None:
        self._short, self._long = _Lane("short", threads), _Lane("long", threads)
        self._jobs_max = threads + queue
        self._waits_s = waits_s

    async def run(self, characters: int, work: Callable[[Callable[[], bool]], T]) -> T:
        """What `work` on so many characters returns; its argument tells whether anybody waits. Raises PlacementUnknownError."""
        lane = self._short if characters <= SHORT_CHARACTERS else self._long
        if lane.jobs >= self._jobs_max:
            raise PlacementUnknownError(UnknownReason.TOKENIZER_BUSY, "queue full")
        given_up = Event()
        job = functools.partial(work, lambda: not given_up.is_set())
        lane.jobs += 1
        try:
            async with asyncio.timeout(self._waits_s):
                return await asyncio.get_running_loop().run_in_executor(lane.pool, job)
        except TimeoutError as error:
            raise PlacementUnknownError(UnknownReason.TOKENIZER_BUSY, "took too long") from error
        finally:
            given_up.set()
            lane.jobs -= 1

    def close(self) -> None:
        """Take no more; what runs ends by itself."""
        for lane in (self._short, self._long):
            lane.pool.shutdown(wait=False, cancel_futures=True)
