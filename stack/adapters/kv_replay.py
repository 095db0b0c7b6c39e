"""Asking an engine for KV event batches again: vLLM's replay socket, a ROUTER over a buffer of its last steps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from enum import Enum, auto

import zmq
import zmq.asyncio

SEQUENCE_BYTES = 8
_END = (-1).to_bytes(SEQUENCE_BYTES, "big", signed=True)


class ReplayError(ConnectionError):
    """The replay socket answered with something else than batches."""


class Answer(Enum):
    """What became of a question."""

    WHOLE = auto()  # everything up to now is here
    HOLED = auto()  # batches are missing in between: a socket drops what its peer does not take fast enough
    OTHER = auto()  # another process than the one followed


async def replay(
    context: zmq.asyncio.Context, endpoint: str, start: int, silence_s: float
) -> AsyncGenerator[tuple[int, bytes], None]:
    """(sequence, payload) of every buffered batch from `start` on, in order. Raises TimeoutError after a silence, ReplayError.

    Each question has a socket of its own, so that no late answer to an earlier one is taken for this one's.
    """
    socket = context.socket(zmq.DEALER)
    socket.linger = 0
    socket.rcvhwm = 0  # what is not taken at once the engine drops; its buffer bounds this
    try:
        socket.connect(endpoint)
        await socket.send_multipart([b"", start.to_bytes(SEQUENCE_BYTES, "big")])
        while True:
            async with asyncio.timeout(silence_s):
                frames = await socket.recv_multipart()
            if len(frames) != 4 or len(frames[2]) != SEQUENCE_BYTES:
                raise ReplayError(f"a replay answer of {len(frames)} frames")
            if frames[2] == _END:
                return
            yield int.from_bytes(frames[2], "big"), frames[3]
    finally:
        socket.close()
