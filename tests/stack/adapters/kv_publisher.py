"""An engine's side of KV events on real sockets, framed as vLLM's ZmqEventPublisher frames it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import zmq
import zmq.asyncio

from stack.model.target import Target
from stack.model.tier import Pool

END = (-1).to_bytes(8, "big", signed=True)
PROMPT = list(range(1000, 1064))


def stored(*names: int, parent: int | None = None, start: int = 0) -> dict[str, object]:
    """Blocks of four tokens of PROMPT, the first at block `start`."""
    tokens = PROMPT[start * 4 : (start + len(names)) * 4]
    event: dict[str, object] = {
        "type": "BlockStored",
        "block_hashes": names,
        "parent_block_hash": parent,
        "token_ids": tokens,
        "block_size": 4,
    }
    return event | {"lora_id": None, "medium": "GPU", "lora_name": None, "group_idx": 0}


def removed(*names: int) -> dict[str, object]:
    return {"type": "BlockRemoved", "block_hashes": names, "medium": "GPU", "group_idx": 0}


CLEARED = {"type": "AllBlocksCleared"}


class Publisher:
    """One engine process. `buffered` is how many batches a replay reaches back."""

    def __init__(
        self,
        folder: Path,
        replica: str = "decode-0",
        buffered: int = 10_000,
        started_at: float = 100.0,
        events_at: str | None = None,
        connect_to: str | None = None,
    ) -> None:
        self.target = Target(
            replica=replica,
            url="http://127.0.0.1:1",
            pool=Pool.DECODE,
            model="m",
            model_root="/m",
            kv_events=None if connect_to else events_at or f"ipc://{folder}/{replica}.pub",
            kv_topic=f"kv@{replica}" if connect_to else None,
            replay=f"ipc://{folder}/{replica}.replay",
        )
        self._connect_to = connect_to
        self.replays = 0
        self.answering = True
        self.dropping: set[int] = set()  # left out of the next answer, as by a full socket
        self._buffer: deque[tuple[int, bytes]] = deque(maxlen=buffered)
        self._time = started_at
        self._next = 0

    async def __aenter__(self) -> Publisher:
        assert self.target.replay is not None
        self._context = zmq.asyncio.Context()
        self._events = self._context.socket(zmq.PUB)
        if self.target.kv_events is not None:
            self._events.bind(self.target.kv_events)
        elif self._connect_to is not None:
            self._events.connect(self._connect_to)
        self._router = self._context.socket(zmq.ROUTER)
        self._router.bind(self.target.replay)
        self._task = asyncio.create_task(self._serve())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self._context.destroy(linger=0)

    async def publish(self, *events: object, lost: bool = False, raw: bytes | None = None) -> None:
        """One step; a lost one reaches the buffer only, as when a subscriber's connection broke."""
        self._time += 1.0
        payload = raw if raw is not None else msgspec.msgpack.encode([self._time, events, 0])
        number = self._next
        self._next += 1
        if not lost:
            await self._events.send_multipart([b"kv@" + self.target.replica.encode(), number.to_bytes(8, "big"), payload])
        self._buffer.append((number, payload))

    async def _serve(self) -> None:
        while True:
            client, _, start = await self._router.recv_multipart()
            self.replays += 1
            if self.answering:
                await self._answer(client, int.from_bytes(start, "big"), list(self._buffer))

    async def _answer(self, client: bytes, start: int, buffered: Sequence[tuple[int, bytes]]) -> None:
        dropping, self.dropping = self.dropping, set()
        for number, payload in buffered:
            if number >= start and number not in dropping:
                await self._router.send_multipart([client, b"", b"kv", number.to_bytes(8, "big"), payload])
        await self._router.send_multipart([client, b"", b"", END, b""])
