"""Tokenizing beside the event loop: a few threads, a bounded queue before them, and a limit on the wait."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

from stack.model.placement import PlacementUnknownError, UnknownReason

T = TypeVar("T")


class TokenThreads:
    """Runs what is too long for the loop. `waits_s` bounds a job's time in the queue and at work together."""

    def __init__(self, threads: int, queue: int, waits_s: float) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="tokens")
        self._jobs_max = threads + queue
        self._waits_s = waits_s
        self._jobs = 0

    async def run(self, work: Callable[[Callable[[], bool]], T]) -> T:
        """What `work` returns; it is told by its argument whether anybody still waits for it. Raises PlacementUnknownError."""
        if self._jobs >= self._jobs_max:
            raise PlacementUnknownError(UnknownReason.TOKENIZER_BUSY, "queue full")
        given_up = Event()
        self._jobs += 1
        try:
            async with asyncio.timeout(self._waits_s):
                return await asyncio.get_running_loop().run_in_executor(
                    self._pool, functools.partial(work, lambda: not given_up.is_set())
                )
        except TimeoutError as error:
            raise PlacementUnknownError(UnknownReason.TOKENIZER_BUSY, "took too long") from error
        finally:
            given_up.set()
            self._jobs -= 1

    def close(self) -> None:
        """Take no more; what runs ends by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)
