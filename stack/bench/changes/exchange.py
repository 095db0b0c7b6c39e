"""Requests over connections that are kept, at a fraction of what an HTTP client costs: the load must not be the bottleneck."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from stack.config import address

_Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Exchange:
    """Speaks HTTP/1.1 with one router at `url`."""

    def __init__(self, url: str, deadline_seconds: float) -> None:
        self._host, self._port = address(urlsplit(url).netloc)
        self._deadline = deadline_seconds
        self._idle: list[_Connection] = []

    async def post(self, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """The answer to `body`. Raises OSError, EOFError for one that ended early, TimeoutError, ValueError for what is no HTTP."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"POST {path} HTTP/1.1\r\nhost: {self._host}:{self._port}\r\ncontent-length: {len(body)}\r\n{lines}\r\n"
        async with asyncio.timeout(self._deadline):
            reader, writer = await self._connection()
            try:
                writer.write(head.encode() + body)
                answer = await _answer(reader)
            except BaseException:  # what is left on it belongs to nobody
                writer.close()
                raise
        self._idle.append((reader, writer))
        return answer

    async def close(self) -> None:
        """Let go of what is kept."""
        for _, writer in self._idle:
            writer.close()
            with suppress(OSError):  # whatever the other side did last
                await writer.wait_closed()
        self._idle.clear()

    async def _connection(self) -> _Connection:
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof():
                return reader, writer
            writer.close()
        return await asyncio.open_connection(self._host, self._port)


async def _answer(reader: asyncio.StreamReader) -> Answer:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    status = int(first.split(" ")[1])
    if headers.get("transfer-encoding") == "chunked":
        return Answer(status, headers, await _chunks(reader))
    return Answer(status, headers, await reader.readexactly(int(headers["content-length"])))


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    content = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        content += (await reader.readexactly(size + 2))[:-2]
    await reader.readuntil(b"\r\n")
    return content
