"""One answer a connection over a Unix socket: who connects is told, and that is all there is to the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

_WRITE_SECONDS = 5.0


async def answering(path: Path, answer: Callable[[], Awaitable[bytes]]) -> asyncio.Server:
    """Tell everyone who connects to `path` what `answer` gives; a socket left there is replaced. Raises OSError."""

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(ConnectionError, TimeoutError):
                async with asyncio.timeout(_WRITE_SECONDS):
                    writer.write(await answer())
                    await writer.drain()
        finally:
            writer.close()

    return await asyncio.start_unix_server(serve, path)


async def ask(path: Path, deadline_s: float) -> bytes | None:
    """What is told at `path`; None when nobody tells anything in time."""
    try:
        async with asyncio.timeout(deadline_s):
            reader, writer = await asyncio.open_unix_connection(path)
            try:
                return await reader.read() or None
            finally:
                writer.close()
    except OSError:  # a timeout is one, too
        return None
