"""A probe tells four things apart: well, unwell, nobody there, silence."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from stack.adapters.probe import Pulse, pulse

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def _engine(handler: Handler) -> AsyncIterator[str]:
    handled = asyncio.Semaphore(0)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await handler(reader, writer)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        handled.release()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await handled.acquire()


def _answering(answer: bytes) -> Handler:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()

    return handle


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", Pulse.WELL),
        (b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n", Pulse.UNWELL),
        (b"", Pulse.UNWELL),
        (b"SSH-2.0-OpenSSH\r\n", Pulse.UNWELL),
        (b"x" * 100_000, Pulse.UNWELL),
    ],
)
async def test_the_status_line_decides(answer: bytes, expected: Pulse) -> None:
    async with _engine(_answering(answer)) as url:
        assert await pulse(url, 5.0) is expected


async def test_nobody_listening_is_refused() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert await pulse(f"http://127.0.0.1:{port}", 5.0) is Pulse.REFUSED


async def test_an_engine_that_says_nothing_is_silent() -> None:
    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with _engine(never) as url:
        assert await pulse(url, 0.05) is Pulse.SILENT
