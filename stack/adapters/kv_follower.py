"""Follow one source's KV events without missing one: a SUB socket for what happens, replays for what was missed."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing

import zmq
import zmq.asyncio

from stack.adapters.kv_intake import Intake
from stack.adapters.kv_listener import Timing
from stack.adapters.kv_replay import SEQUENCE_BYTES, Answer, ReplayError, replay
from stack.cache.stream import Taken

log = logging.getLogger(__name__)

QUEUED_BATCHES = 100_000  # vLLM's own high-water mark
# A burst is taken in slices, with the router's requests between them: about 3 ms each at 5 microseconds a block.
SLICE_BLOCKS = 512
SLICE_BATCHES = 64


class Follower:
    """One data-parallel rank's events, from its sockets to the index.

    `replay_at` is None where the engine serves no replay. `topic` is what the engine's messages bear at an endpoint that others
    share, None at one of its own.
    """

    def __init__(self, intake: Intake, events_at: str, replay_at: str | None, timing: Timing, topic: bytes | None = None) -> None:
        self._intake = intake
        self._events_at = events_at
        self._replay_at = replay_at
        self._timing = timing
        self._topic = topic

    async def run(self, context: zmq.asyncio.Context) -> None:
        """Follow the events until cancelled."""
        socket = context.socket(zmq.SUB)
        socket.linger = 0
        socket.rcvhwm = QUEUED_BATCHES
        socket.subscribe(self._topic or b"")
        monitor = socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        poller = zmq.asyncio.Poller()
        poller.register(socket, zmq.POLLIN)
        poller.register(monitor, zmq.POLLIN)
        try:
            socket.connect(self._events_at)
            while True:
                answered = await self._catch_up(context)
                wait = self._timing.heartbeat if answered else self._timing.retry
                await self._listen(context, socket, monitor, poller, wait)
        except zmq.ZMQError as error:  # an endpoint that is none; other engines' followers go on
            source = self._intake.source
            log.error("KV events cannot be followed", extra={"engine": source.engine, "rank": source.rank, "error": str(error)})
            self._intake.silent()
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
        waiting: zmq.Socket[bytes] = zmq.Socket.shadow(socket)  # takes what is there without a future for each message
        while ready := dict(await poller.poll(int(wait * 1000))):
            if monitor in ready:
                await monitor.recv_multipart()
                return
            await self._slice(context, waiting)
            await asyncio.sleep(0)

    async def _slice(self, context: zmq.asyncio.Context, waiting: zmq.Socket[bytes]) -> None:
        blocks = 0
        for _ in range(SLICE_BATCHES):
            try:
                frames = waiting.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            blocks += await self._receive(context, frames)
            if blocks >= SLICE_BLOCKS:
                return

    async def _receive(self, context: zmq.asyncio.Context, frames: list[bytes]) -> int:
        """One message, and how many blocks it was about."""
        if self._topic is not None and frames[0] != self._topic:  # a subscription takes all that begins alike
            return 0
        if len(frames) != 3 or len(frames[1]) != SEQUENCE_BYTES:
            log.warning("message is no KV event batch", extra={"engine": self._intake.source.engine, "frames": len(frames)})
            return 0
        sequence, batch = int.from_bytes(frames[1], "big"), self._intake.parse(frames[2])
        if batch is None:
            return 0
        # The replay brings a refused batch again, with those that are missing before it.
        if self._intake.take(sequence, batch) is Taken.REFUSED and not await self._catch_up(context, missed=True):
            self._intake.lose()
            self._intake.take(sequence, batch)
        return batch.blocks

    async def _catch_up(self, context: zmq.asyncio.Context, *, missed: bool = False) -> bool:
        """Ask for everything since the last batch. False when no answer came: what is known is then not trusted."""
        intake = self._intake
        if self._replay_at is None:
            return self._without_replay(missed=missed)
        losses = intake.losses
        try:
            continued = await self._replay(context, self._replay_at)
        except (TimeoutError, ReplayError, zmq.ZMQError) as error:
            log.info("no KV event replay", extra={"engine": intake.source.engine, "error": type(error).__name__})
            intake.silent()
            return False
        if missed and continued and losses == intake.losses:
            intake.recovered()
        intake.heard()
        return True

    def _without_replay(self, *, missed: bool) -> bool:
        if not self._intake.met:
            self._intake.meet(None)  # nobody can tell what was stored before
            self._intake.watching = True
        return not missed

    async def _replay(self, context: zmq.asyncio.Context, endpoint: str) -> bool:
        """Take all that is buffered and new. Whether the engine still is the process that was followed before.

        What the answer leaves out is asked for again, until that brings nothing more: then it is lost.
        """
        stream, first, answer, reached = self._intake.stream, True, Answer.HOLED, None
        continued = True
        while answer is Answer.HOLED:
            give_up = not first and stream.last_sequence == reached
            first, reached = False, stream.last_sequence
            answer = await self._continue(context, endpoint, give_up=give_up)
            if answer is Answer.OTHER:
                continued = False
                answer = await self._begin(context, endpoint, give_up=give_up)
        return continued

    async def _continue(self, context: zmq.asyncio.Context, endpoint: str, *, give_up: bool) -> Answer:
        """Take what follows the last batch, if the engine still is the process that sent it."""
        start = self._intake.stream.last_sequence
        if start is None:
            return Answer.OTHER
        async with aclosing(replay(context, endpoint, start, self._timing.answer)) as batches:
            found = False
            async for sequence, payload in batches:
                batch = self._intake.parse(payload)
                if not found:
                    if batch is None or not self._intake.stream.is_last(sequence, batch):
                        return Answer.OTHER
                    found = True
                elif batch is not None and not self._intake.replayed(sequence, batch, give_up=give_up):
                    return Answer.HOLED
                await asyncio.sleep(0)
        return Answer.WHOLE if found else Answer.OTHER

    async def _begin(self, context: zmq.asyncio.Context, endpoint: str, *, give_up: bool) -> Answer:
        """Take everything the engine still has, from its first batch on."""
        followed = self._intake.stream.last_sequence
        begun = False
        async with aclosing(replay(context, endpoint, 0, self._timing.answer)) as batches:
            async for sequence, payload in batches:
                batch = self._intake.parse(payload)
                if not begun:
                    begun = True
                    self._intake.meet(sequence, overflown=followed is not None and sequence > 0)
                if batch is not None and not self._intake.replayed(sequence, batch, give_up=give_up):
                    return Answer.HOLED
                await asyncio.sleep(0)
        if not begun:
            self._intake.meet(0)
        return Answer.WHOLE
