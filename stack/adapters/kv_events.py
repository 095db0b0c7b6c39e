"""Keep the block index fed by every engine that publishes KV events."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable

import zmq.asyncio

from stack.adapters.kv_follower import QUEUED_BATCHES, Follower
from stack.adapters.kv_intake import Intake
from stack.adapters.kv_listener import KvEventListener, Timing
from stack.adapters.kv_switchboard import INSIDE, Switchboard
from stack.cache.index import BlockIndex
from stack.engines.vllm_events import rank_endpoint
from stack.model.target import Target

log = logging.getLogger(__name__)

SWEPT_AT_ONCE = 5000  # blocks of engines that left, let go in one slice: about a millisecond


class KvEventSubscriber:
    """One follower for each data-parallel rank of each engine whose target names an endpoint.

    Engines bind, so that any number of routers may connect to each of them. Those that were told to connect instead do so to
    `bind_at`, and are told apart by their topics.
    """

    def __init__(
        self,
        index: BlockIndex,
        listener: KvEventListener,
        clock: Callable[[], float] = time.monotonic,
        timing: Timing | None = None,
        bind_at: str | None = None,
    ) -> None:
        self._index = index
        self._listener = listener
        self._clock = clock
        self._timing = timing or Timing()
        self._bind_at = bind_at
        self._wanted: dict[str, Target] = {}
        self._followed: dict[str, tuple[Target, list[asyncio.Task[None]]]] = {}
        self._changed = asyncio.Event()

    def watch(self, targets: Iterable[Target]) -> None:
        """Follow exactly these engines from now on; whichever left is forgotten. May be called before `run`."""
        self._wanted = {target.replica: target for target in targets if target.publishes}
        self._changed.set()

    async def run(self) -> None:
        """Follow what `watch` names until cancelled."""
        context = zmq.asyncio.Context()
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._sweep(), name="blocks of engines that left")
                if self._bind_at is not None:
                    tasks.create_task(Switchboard(context, self._bind_at, QUEUED_BATCHES).run(), name="kv events that connect")
                while True:
                    self._reconcile(tasks, context)
                    await self._changed.wait()
                    self._changed.clear()
        finally:
            self._followed.clear()
            context.destroy(linger=0)

    def _reconcile(self, tasks: asyncio.TaskGroup, context: zmq.asyncio.Context) -> None:
        for name, (target, following) in list(self._followed.items()):
            if self._wanted.get(name) != target:
                for task in following:
                    task.cancel()
                self._index.forget(name)
                del self._followed[name]
        for name, target in self._wanted.items():
            if name not in self._followed:
                following = [
                    tasks.create_task(follower.run(context), name=f"kv events of {name}, rank {rank}")
                    for rank, follower in enumerate(self._followers(target))
                ]
                self._followed[name] = (target, following)

    def _followers(self, target: Target) -> list[Follower]:
        try:
            return [self._follower(target, rank) for rank in range(target.kv_event_ranks)]
        except ValueError as error:  # endpoints that ranks cannot be counted on from; other engines are followed
            log.error("KV events cannot be followed", extra={"engine": target.replica, "error": str(error)})
            return []

    def _follower(self, target: Target, rank: int) -> Follower:
        intake = Intake(target, rank, self._index, self._listener, self._clock)
        self._index.follow(intake.source)  # of a rank that was not heard yet nothing is known, but it is there
        replay_at = None if target.replay is None else rank_endpoint(target.replay, rank)
        if target.kv_events is None:
            return Follower(intake, INSIDE, replay_at, self._timing, (target.kv_topic or "").encode())
        return Follower(intake, rank_endpoint(target.kv_events, rank), replay_at, self._timing)

    async def _sweep(self) -> None:
        """Free what forgotten engines held, in slices between requests."""
        while True:
            more = self._index.sweep(SWEPT_AT_ONCE)
            await asyncio.sleep(0.0 if more else self._timing.sweep)
