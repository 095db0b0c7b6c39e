"""The worker processes of one router: started, watched, started again when they end, and ended together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol

log = logging.getLogger(__name__)


class Worker(Protocol):
    """One running process."""

    async def serves(self) -> bool:
        """Waits until it serves; False when it ended first."""
        ...

    async def wait(self) -> int:
        """Its exit status, once it ended."""
        ...

    def end(self) -> None:
        """Tell it to finish what it has and end."""
        ...

    def kill(self) -> None:
        """End it at once."""
        ...


class CrewError(Exception):
    """A worker could not be started for the first time, so that nothing says it ever will; the message is one line."""


class Crew:
    """Keeps `count` workers running. `pause` gives the seconds to wait after a worker's end, from how long it had run."""

    def __init__(
        self,
        count: int,
        start: Callable[[int], Awaitable[Worker]],
        pause: Callable[[int, float], float],
        ended: Callable[[int], None],
        clock: Callable[[], float],
    ) -> None:
        self._count = count
        self._start, self._pause, self._ended, self._clock = start, pause, ended, clock
        self._told = asyncio.Event()
        self._running: dict[int, Worker] = {}
        self.restarts = 0

    @property
    def running(self) -> frozenset[int]:
        """The workers that have a process."""
        return frozenset(self._running)

    async def run(self) -> None:
        """Until `stop` ended all. Raises CrewError, and then has ended those that did start."""
        tasks = [asyncio.create_task(self._keep(number), name=f"worker {number}") for number in range(self._count)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for worker in self._running.values():
                worker.kill()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def stop(self, grace_s: float) -> None:
        """Tell all workers to end; after `grace_s` those that are left are killed."""
        self._told.set()
        for worker in self._running.values():
            worker.end()
        with suppress(TimeoutError):
            async with asyncio.timeout(grace_s):
                for worker in tuple(self._running.values()):
                    await worker.wait()
        for worker in self._running.values():
            worker.kill()

    async def _keep(self, number: int) -> None:
        served = False
        while not self._told.is_set():
            began = self._clock()
            worker = self._running[number] = await self._start(number)
            if self._told.is_set():
                worker.end()
            serves = await worker.serves()
            served = served or serves
            status = await worker.wait()
            del self._running[number]
            self._ended(number)
            if self._told.is_set():
                return
            if not served:
                raise CrewError(f"worker {number} ended with status {status} before it served")
            log.error("router worker ended", extra={"worker": number, "status": status})
            self.restarts += 1
            await self._rest(self._pause(number, self._clock() - began))

    async def _rest(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._told.wait()
