"""One emulated engine: a scheduler that keeps a profile's time, and the requests that listen to it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from stack.emulator.core import Ask, Core
from stack.emulator.scheduler import Emission, Step
from stack.emulator.sequence import Sequence
from stack.emulator.transfer import EngineKilledError, Fabric

log = logging.getLogger(__name__)


class EngineGoneError(ConnectionError):
    """The engine died or was stopped while it had the request."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Time as the engine sees it: monotonic seconds, and how to wait for a moment of them."""

    now: Callable[[], float]
    sleep_until: Callable[[float], Awaitable[None]]


class Stream:
    """The emissions of one request; a context manager, because leaving early aborts the request."""

    def __init__(self, sequence: Sequence, abort: Callable[[Sequence], None]) -> None:
        self.sequence = sequence
        self._abort = abort
        self._queue: asyncio.Queue[Emission | None] = asyncio.Queue()
        self._ended = False

    def put(self, emission: Emission | None) -> None:
        """The next emission; None says that the engine is gone."""
        self._queue.put_nowait(emission)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *exception: object) -> None:
        self._abort(self.sequence)

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> Emission:
        """Raises EngineGoneError when the engine ends before the answer does."""
        if self._ended:
            raise StopAsyncIteration
        emission = await self._queue.get()
        if emission is None:
            raise EngineGoneError("the engine is gone")
        self._ended = emission.reason is not None
        return emission


class Engine:
    """Runs a scheduler in real time. `woken` is set when something may have changed what the scheduler can do.

    `on_death` is called once, with the reason, when a request kills the engine.
    """

    def __init__(self, engine_id: str, core: Core, fabric: Fabric, clock: Clock, woken: asyncio.Event) -> None:
        self.engine_id = engine_id
        self.tokenizer = core.tokenizer
        self.scheduler = core.scheduler
        self._core = core
        self.death: str | None = None
        self.on_death: Callable[[str], None] = lambda reason: None
        self._fabric = fabric
        self._clock = clock
        self._woken = woken
        self._streams: dict[Sequence, Stream] = {}

    def submit(self, ask: Ask) -> Stream:
        """Queue a request. Raises EngineGoneError, also when `ask` is what kills the engine."""
        if self.death is not None:
            raise EngineGoneError(self.death)
        try:
            sequence = self._core.admit(ask, self._clock.now())
        except EngineKilledError as error:
            self.die(str(error))
            raise EngineGoneError(str(error)) from error
        stream = self._streams[sequence] = Stream(sequence, self._abort)
        self._woken.set()
        return stream

    async def run(self) -> None:
        """Step until cancelled; sleeps for good while there is nothing to do."""
        while True:
            self._woken.clear()
            now = self._clock.now()
            step = self.scheduler.plan(now)
            if step is None:
                await self._idle()
            else:
                await self._clock.sleep_until(now + step.seconds)
                self._complete(step)

    def die(self, reason: str) -> None:
        """End as a killed process does: nobody gets an answer."""
        if self.death is None:
            log.error("emulated engine died", extra={"reason": reason})
            self.stop(reason)
            self.on_death(reason)

    def stop(self, reason: str) -> None:
        """Take no more requests and let go of those that are here."""
        self.death = reason
        self._fabric.leave(self.engine_id)
        for stream in list(self._streams.values()):
            stream.put(None)

    async def _idle(self) -> None:
        moment = self.scheduler.next_event()
        if moment is None:
            await self._woken.wait()
            return
        waiting = asyncio.ensure_future(self._woken.wait())
        timer = asyncio.ensure_future(self._clock.sleep_until(moment))
        try:
            await asyncio.wait({waiting, timer}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            timer.cancel()

    def _complete(self, step: Step) -> None:
        for emission in self.scheduler.complete(step, self._clock.now()):
            stream = self._streams.get(emission.sequence)
            if stream is not None:
                stream.put(emission)

    def _abort(self, sequence: Sequence) -> None:
        self._streams.pop(sequence, None)
        self.scheduler.abort(sequence)
        self._woken.set()
