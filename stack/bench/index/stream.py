"""The whole way of an update: an engine's socket in another process, our subscriber, the index; while a clock ticks beside it."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field

from stack.adapters.kv_events import KvEventSubscriber
from stack.bench.index.churn import Churn
from stack.cache.index import BlockIndex
from stack.model.target import Target
from stack.model.tier import Pool

_TICK_SECONDS = 0.001
_IDLE_SECONDS = 0.5


class EventsLostError(RuntimeError):
    """The subscriber missed messages, so there is no figure."""


@dataclass(frozen=True, slots=True)
class Burst:
    """`updates` blocks stored and removed in so many seconds of CPU and of the clock.

    How late each tick of the loop was meanwhile, and before anything came (`idle_seconds`): the machine's own part in it.
    """

    updates: int
    cpu_seconds: float
    wall_seconds: float
    late_seconds: list[float]
    idle_seconds: list[float]


@dataclass(slots=True)
class _Watch:
    """A KvEventListener that waits for the last removed block."""

    expected: int
    done: asyncio.Event = field(default_factory=asyncio.Event)
    removed: int = 0
    lost: bool = False
    cpu_began: float | None = None
    wall_began: float = 0.0

    def evicted(self, target: Target, blocks: int) -> None:
        if self.cpu_began is None:
            self.cpu_began, self.wall_began = time.process_time(), time.perf_counter()
            self.expected -= blocks
            return
        self.removed += blocks
        if self.removed >= self.expected:
            self.done.set()

    def gap(self, target: Target, *, recovered: bool) -> None:
        self.lost = True
        self.done.set()

    def cache_lost(self, target: Target) -> None:
        pass


async def burst(endpoint: str, churn: Churn, deadline_s: float) -> Burst:
    """Follow the engine that publishes `churn` at `endpoint` until its last block. Raises EventsLostError, TimeoutError.

    Measured from the first removed block on: from there each update of the index is a block in or a block out.
    """
    watch = _Watch(churn.removed)
    subscriber = KvEventSubscriber(BlockIndex(), watch)
    subscriber.watch(
        [Target(replica="engine", url="http://127.0.0.1:1", pool=Pool.DECODE, model="m", model_root="m", kv_events=endpoint)]
    )
    idle, late = list[float](), list[float]()
    with suppress(TimeoutError):
        async with asyncio.timeout(_IDLE_SECONDS):
            await _tick(idle)
    following, ticking = asyncio.create_task(subscriber.run()), asyncio.create_task(_tick(late))
    try:
        async with asyncio.timeout(deadline_s):
            await watch.done.wait()
        cpu, wall = time.process_time(), time.perf_counter()
    finally:
        following.cancel()
        ticking.cancel()
        await asyncio.gather(following, ticking, return_exceptions=True)
    if watch.lost or watch.cpu_began is None:
        raise EventsLostError("KV events were lost on the way")
    return Burst(2 * watch.removed, cpu - watch.cpu_began, wall - watch.wall_began, late, idle)


async def _tick(late: list[float]) -> None:
    while True:
        begun = time.perf_counter()
        await asyncio.sleep(_TICK_SECONDS)
        late.append(max(time.perf_counter() - begun - _TICK_SECONDS, 0.0))
