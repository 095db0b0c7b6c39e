"""KV events over ZMQ as vLLM publishes them: a PUB socket, and a ROUTER that replays what is still buffered."""

from __future__ import annotations

import logging
from collections import deque
from pathlib import Path

import msgspec
import zmq
import zmq.asyncio

from stack.emulator.events import Batch

log = logging.getLogger(__name__)

BUFFERED_STEPS = 10_000
_HIGH_WATER_MARK = 100_000
_END = (-1).to_bytes(8, "big", signed=True)


class KvPublisher:
    """One engine's events under the topic `kv@<replica>`. Binds its endpoints, so that any number of routers may connect.

    Construction binds at once; it raises zmq.ZMQError when an endpoint is taken.
    """

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], replica: str, endpoint: str, replay: str | None) -> None:
        self.topic = f"kv@{replica}"
        self.endpoint = endpoint
        self.replay_endpoint = replay
        self._encoder = msgspec.msgpack.Encoder()
        self._buffer: deque[tuple[int, bytes]] = deque(maxlen=BUFFERED_STEPS)
        self._next = 0
        # Sending never waits on a PUB socket, so it needs no asyncio around it.
        self._publish = context.socket(zmq.PUB)
        self._publish.set_hwm(_HIGH_WATER_MARK)
        _bind(self._publish, endpoint)
        self._replay: zmq.asyncio.Socket | None = None
        if replay is not None:
            self._replay = zmq.asyncio.Socket(context, zmq.ROUTER)
            _bind(self._replay, replay)

    def publish(self, batch: Batch) -> None:
        """Send one batch and keep it for replay."""
        payload = self._encoder.encode(batch)
        sequence, self._next = self._next, self._next + 1
        self._buffer.append((sequence, payload))
        self._publish.send_multipart([self.topic.encode(), sequence.to_bytes(8, "big"), payload])

    async def serve_replay(self) -> None:
        """Answer replay questions until cancelled."""
        if self._replay is None:
            return
        while True:
            frames = await self._replay.recv_multipart()
            if len(frames) != 3:
                log.warning("replay question ignored", extra={"topic": self.topic, "frames": len(frames)})
                continue
            await self._answer(self._replay, frames[0], int.from_bytes(frames[2], "big"))

    async def _answer(self, socket: zmq.asyncio.Socket, client: bytes, start: int) -> None:
        for sequence, payload in list(self._buffer):
            if sequence >= start:
                await socket.send_multipart([client, b"", self.topic.encode(), sequence.to_bytes(8, "big"), payload])
        await socket.send_multipart([client, b"", b"", _END, b""])

    def close(self) -> None:
        """Free the endpoints; what is still queued for slow readers is dropped."""
        self._publish.close(linger=0)
        if self._replay is not None:
            self._replay.close(linger=0)


def _bind(socket: zmq.Socket[bytes] | zmq.asyncio.Socket, endpoint: str) -> None:
    if endpoint.startswith("ipc://"):
        Path(endpoint.removeprefix("ipc://")).parent.mkdir(parents=True, exist_ok=True)
    socket.bind(endpoint)
