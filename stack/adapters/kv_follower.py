"""Follow one engine's KV events without missing one: a SUB socket for what happens, replays for what was missed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import aclosing

import zmq
import zmq.asyncio

from stack.adapters.kv_listener import KvEventListener, Timing
from stack.adapters.kv_replay import SEQUENCE_BYTES, ReplayError, replay
from stack.cache.index import BlockIndex
from stack.cache.stream import EventStream, Taken
from stack.engines import vllm_events
from stack.model.kv_event import Cleared, KvBatch, Removed
from stack.model.target import Target
from stack.model.tier import Tier

log = logging.getLogger(__name__)

QUEUED_BATCHES = 100_000  # vLLM's own high-water mark


class Follower:
    """One engine's events, from its sockets to the index."""

    def __init__(
        self, target: Target, index: BlockIndex, listener: KvEventListener, clock: Callable[[], float], timing: Timing
    ) -> None:
        self._target = target
        self._index = index
        self._listener = listener
        self._clock = clock
        self._timing = timing
        self._stream = EventStream(target.replica, index)
        self._met = False  # a process of this engine was followed before
        self._losses = 0
        self._watching = False  # past the first replay: what leaves the cache from here on is news

    async def run(self, context: zmq.asyncio.Context, endpoint: str) -> None:
        """Follow the events published at `endpoint` until cancelled."""
        socket = context.socket(zmq.SUB)
        socket.linger = 0
        socket.rcvhwm = QUEUED_BATCHES
        socket.subscribe(b"")
        monitor = socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        poller = zmq.asyncio.Poller()
        poller.register(socket, zmq.POLLIN)
        poller.register(monitor, zmq.POLLIN)
        try:
            socket.connect(endpoint)
            while True:
                answered = await self._catch_up(context)
                wait = self._timing.heartbeat if answered else self._timing.retry
                await self._listen(context, socket, monitor, poller, wait)
        except zmq.ZMQError as error:  # an endpoint that is none; other engines' followers go on
            log.error("KV events cannot be followed", extra={"engine": self._target.replica, "error": str(error)})
            self._index.forget(self._target.replica)
        finally:
            socket.disable_monitor()
            monitor.close()
            socket.close()

    async def _listen(
        self,
        context: zmq.asyncio.Context,
        socket: zmq.asyncio.Socket,
        monitor: zmq.asyncio.Socket,
        poller: zmq.asyncio.Poller,
        wait: float,
    ) -> None:
        """Take what comes; returns when nothing came for `wait` seconds or the connection was lost: then it is time to ask."""
        while ready := dict(await poller.poll(int(wait * 1000))):
            if monitor in ready:
                await monitor.recv_multipart()
                return
            await self._receive(context, await socket.recv_multipart())
            await asyncio.sleep(0)  # a burst must not keep the router from its requests

    async def _receive(self, context: zmq.asyncio.Context, frames: list[bytes]) -> None:
        if len(frames) != 3 or len(frames[1]) != SEQUENCE_BYTES:
            log.warning("message is no KV event batch", extra={"engine": self._target.replica, "frames": len(frames)})
            return
        sequence, batch = int.from_bytes(frames[1], "big"), self._parse(frames[2])
        if batch is None or self._take(sequence, batch) is not Taken.REFUSED:
            return
        # The replay brings this batch again, with those that are missing before it.
        if not await self._catch_up(context, missed=True):
            self._lose()
            self._take(sequence, batch)

    async def _catch_up(self, context: zmq.asyncio.Context, *, missed: bool = False) -> bool:
        """Ask for everything since the last batch. False when no answer came: what is known is then not trusted."""
        if self._target.replay is None:
            return self._without_replay(missed=missed)
        losses = self._losses
        try:
            async with asyncio.timeout(self._timing.answer):
                continued = await self._continue(context, self._target.replay)
                if not continued:
                    await self._begin(context, self._target.replay)
        except (TimeoutError, ReplayError, zmq.ZMQError) as error:
            log.info("no KV event replay", extra={"engine": self._target.replica, "error": type(error).__name__})
            self._index.silent(self._target.replica)
            return False
        if missed and continued and losses == self._losses:
            self._listener.gap(self._target, recovered=True)
        self._watching = True
        self._index.seen(self._target.replica, self._clock())
        return True

    def _without_replay(self, *, missed: bool) -> bool:
        if not self._met:
            self._stream.lose()  # nobody can tell what was stored before
            self._met = self._watching = True
        return not missed

    async def _continue(self, context: zmq.asyncio.Context, endpoint: str) -> bool:
        """Whether the engine still is the process that sent the last batch, and all it sent since is here."""
        start = self._stream.last_sequence
        if start is None:
            return False
        async with aclosing(replay(context, endpoint, start)) as batches:
            continued = False
            async for sequence, payload in batches:
                batch = self._parse(payload)
                if not continued:
                    if batch is None or not self._stream.is_last(sequence, batch):
                        return False
                    continued = True
                elif batch is not None:
                    self._replayed(sequence, batch)
                await asyncio.sleep(0)
        return continued

    async def _begin(self, context: zmq.asyncio.Context, endpoint: str) -> None:
        """Take everything the engine still has, from its first batch on."""
        continued = self._stream.last_sequence
        begun = False
        async with aclosing(replay(context, endpoint, 0)) as batches:
            async for sequence, payload in batches:
                batch = self._parse(payload)
                if not begun:
                    begun = True
                    self._meet(sequence, overflown=continued is not None and sequence > 0)
                if batch is not None:
                    self._replayed(sequence, batch)
                await asyncio.sleep(0)
        if not begun:
            self._meet(0, overflown=False)

    def _meet(self, first: int, *, overflown: bool) -> None:
        if overflown:
            self._lose()
            return
        if self._met:
            self._listener.cache_lost(self._target)
        self._stream.begin(first)
        self._met = True

    def _lose(self) -> None:
        log.warning("KV events lost", extra={"engine": self._target.replica})
        self._losses += 1
        self._listener.gap(self._target, recovered=False)
        self._stream.lose()

    def _replayed(self, sequence: int, batch: KvBatch) -> None:
        if self._take(sequence, batch) is Taken.REFUSED:
            self._lose()
            self._take(sequence, batch)

    def _take(self, sequence: int, batch: KvBatch) -> Taken:
        taken = self._stream.take(sequence, batch, self._clock())
        if taken is Taken.APPLIED and self._watching:
            evicted = sum(len(e.blocks) for e in batch.events if isinstance(e, Removed) and e.tier is Tier.ENGINE)
            if evicted:
                self._listener.evicted(self._target, evicted)
            if any(isinstance(e, Cleared) for e in batch.events):
                self._listener.cache_lost(self._target)
        return taken

    def _parse(self, payload: bytes) -> KvBatch | None:
        """A batch that cannot be read leaves a hole: the next one is refused, and the replay does not help."""
        try:
            return vllm_events.decode(payload)
        except vllm_events.KvEventFormatError as error:
            log.warning("KV events not understood", extra={"engine": self._target.replica, "error": str(error)})
            return None
