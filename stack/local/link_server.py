"""The supervisor's end of its unix socket."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from stack.adapters.supervisor_link import SupervisorAnswer, SupervisorRequest

log = logging.getLogger(__name__)

REQUEST_BYTES = 65_536
REQUEST_SECONDS = 5.0

Handle = Callable[[SupervisorRequest], SupervisorAnswer]


@asynccontextmanager
async def listening(socket: Path, handle: Handle) -> AsyncIterator[None]:
    """Answers on `socket`, which only this user may open, during the block. Raises OSError."""
    _remove(socket)  # left by a supervisor that was killed; its lock, not this file, says that one runs

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _answer(reader, writer, handle)

    server = await asyncio.start_unix_server(answer, socket, limit=REQUEST_BYTES)
    os.chmod(socket, 0o600)
    try:
        yield
    finally:
        server.close()
        _remove(socket)


def _remove(socket: Path) -> None:
    socket.unlink(missing_ok=True)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, handle: Handle) -> None:
    try:
        async with asyncio.timeout(REQUEST_SECONDS):
            line = await reader.readline()
            writer.write(msgspec.json.encode(_handled(line, handle)) + b"\n")
            await writer.drain()
    except (OSError, ValueError, TimeoutError) as error:  # ValueError: a line beyond the limit
        log.info("asker left", extra={"error": type(error).__name__})
    finally:
        writer.close()


def _handled(line: bytes, handle: Handle) -> SupervisorAnswer:
    try:
        request = msgspec.json.decode(line, type=SupervisorRequest)
    except msgspec.DecodeError as error:
        return SupervisorAnswer(error=f"not a request: {error}")
    return handle(request)
