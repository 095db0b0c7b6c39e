"""Keep the block index fed by every engine that publishes KV events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable

import zmq.asyncio

from stack.adapters.kv_follower import Follower
from stack.adapters.kv_listener import KvEventListener, Timing
from stack.cache.index import BlockIndex
from stack.model.target import Target


class KvEventSubscriber:
    """One follower for each engine whose target names an endpoint. The engines bind, so any number of routers may connect.

    An engine with several data-parallel ranks publishes each rank on a port of its own; only the first is followed.
    """

    def __init__(
        self,
        index: BlockIndex,
        listener: KvEventListener,
        clock: Callable[[], float] = time.monotonic,
        timing: Timing | None = None,
    ) -> None:
        self._index = index
        self._listener = listener
        self._clock = clock
        self._timing = timing or Timing()
        self._wanted: dict[str, Target] = {}
        self._followed: dict[str, tuple[Target, asyncio.Task[None]]] = {}
        self._changed = asyncio.Event()

    def watch(self, targets: Iterable[Target]) -> None:
        """Follow exactly these engines from now on; whichever left is forgotten. May be called before `run`."""
        self._wanted = {target.replica: target for target in targets if target.kv_events is not None}
        self._changed.set()

    async def run(self) -> None:
        """Follow what `watch` names until cancelled."""
        context = zmq.asyncio.Context()
        try:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    self._reconcile(tasks, context)
                    await self._changed.wait()
                    self._changed.clear()
        finally:
            self._followed.clear()
            context.destroy(linger=0)

    def _reconcile(self, tasks: asyncio.TaskGroup, context: zmq.asyncio.Context) -> None:
        for name, (target, task) in list(self._followed.items()):
            if self._wanted.get(name) != target:
                task.cancel()
                self._index.forget(name)
                del self._followed[name]
        for name, target in self._wanted.items():
            if name not in self._followed and target.kv_events is not None:
                follower = Follower(target, self._index, self._listener, self._clock, self._timing)
                task = tasks.create_task(follower.run(context, target.kv_events), name=f"kv events of {name}")
                self._followed[name] = (target, task)
