"""Asking an engine for KV event batches again: vLLM's replay socket, a ROUTER over a buffer of its last steps."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import zmq
import zmq.asyncio

SEQUENCE_BYTES = 8
_END = (-1).to_bytes(SEQUENCE_BYTES, "big", signed=True)


class ReplayError(ConnectionError):
    """The replay socket answered with something else than batches."""


async def replay(context: zmq.asyncio.Context, endpoint: str, start: int) -> AsyncGenerator[tuple[int, bytes], None]:
    """(sequence, payload) of every buffered batch from `start` on, in order. The caller sets the deadline.

    Each question has a socket of its own, so that no late answer to an earlier one is taken for this one's.
    """
    socket = context.socket(zmq.DEALER)
    socket.linger = 0
    try:
        socket.connect(endpoint)
        await socket.send_multipart([b"", start.to_bytes(SEQUENCE_BYTES, "big")])
        while True:
            frames = await socket.recv_multipart()
            if len(frames) != 4 or len(frames[2]) != SEQUENCE_BYTES:
                raise ReplayError(f"a replay answer of {len(frames)} frames")
            if frames[2] == _END:
                return
            yield int.from_bytes(frames[2], "big"), frames[3]
    finally:
        socket.close()
