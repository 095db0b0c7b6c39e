"""Requests to engines over kept-alive connections, one pool an engine."""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from stack.router.message import Headers
from stack.router.upstream_errors import BrokenReplyError, ConnectError, ReplyTimeoutError
from stack.router.upstream_link import Link

_URL = re.compile(r"http://(?P<host>\[[0-9a-fA-F:.]+\]|[^/:\[\]@\s]+)(?::(?P<port>[0-9]{1,5}))?/?")


class Reply:
    """An engine's answer: status and headers are there, the body comes as it arrives."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.status = link.status
        self.headers = tuple(link.headers)

    def header(self, name: bytes) -> bytes | None:
        """The first value of `name` (lower case), None when it is absent."""
        return next((value for key, value in self.headers if key == name), None)

    async def body(self, gap_timeout_s: float | None = None) -> AsyncIterator[bytes]:
        """Body bytes as they arrive, at most `gap_timeout_s` apart; a slow reader makes the engine wait.

        Raises ReplyTimeoutError, BrokenReplyError.
        """
        while True:
            try:
                async with asyncio.timeout(gap_timeout_s):
                    data = await self._link.piece()
            except TimeoutError as error:
                raise ReplyTimeoutError(f"the engine sent nothing for {gap_timeout_s} s", started=True) from error
            if data is None:
                return
            yield data

    async def read(self, limit: int, timeout_s: float | None = None) -> bytes:
        """The whole body. Raises BrokenReplyError beyond `limit` bytes, ReplyTimeoutError after `timeout_s`."""
        whole = bytearray()
        try:
            async with asyncio.timeout(timeout_s):
                while (data := await self._link.piece()) is not None:
                    whole += data
                    if len(whole) > limit:
                        raise BrokenReplyError(f"the answer is larger than {limit} bytes", started=True)
        except TimeoutError as error:
            raise ReplyTimeoutError(f"the answer was not whole after {timeout_s} s", started=True) from error
        return bytes(whole)


class _Pool:
    """One engine's idle connections; `gone` once the engine left, so that what is still in use is not kept."""

    __slots__ = ("gone", "links")

    def __init__(self) -> None:
        self.links: deque[Link] = deque()
        self.gone = False

    def clear(self) -> None:
        """Close what is idle and keep nothing any more."""
        self.gone = True
        for link in self.links:
            link.close()
        self.links.clear()


class Upstream:
    """All engines' connections. A connection serves one request at a time and goes back to its pool after it."""

    def __init__(self, *, max_idle_per_engine: int = 256, idle_s: float = 4.0, clock: Callable[[], float] = time.monotonic) -> None:
        """`idle_s` stays under the 5 s after which vLLM's HTTP server (uvicorn) closes an idle connection."""
        self._max_idle = max_idle_per_engine
        self._idle_s = idle_s
        self._clock = clock
        self._pools: dict[str, _Pool] = {}

    @asynccontextmanager
    async def request(
        self,
        url: str,
        method: str,
        path: str,
        headers: Headers,
        body: bytes = b"",
        *,
        connect_timeout_s: float,
        head_timeout_s: float,
        retry_stale: bool = True,
    ) -> AsyncIterator[Reply]:
        """One request; leaving early, or by an exception, closes its connection, which stops the engine's work.

        `head_timeout_s` is the time from the request sent to the answer's head. With `retry_stale` a request that
        met a kept-alive connection just as the engine closed it is sent once more on a fresh one: only when no byte
        of an answer came and the connection had served before. An engine that had begun to work would have to close
        a live connection without a word for the request to run twice, and generating twice changes no state; what
        must not run twice (a request with KV-transfer params) is sent with `retry_stale=False`.
        Raises ConnectError, ReplyTimeoutError, BrokenReplyError.
        """
        raw = _request(url, method, path, headers, body)
        pool = self._pools.setdefault(url, _Pool())
        link = await self._begin(url, pool, raw, connect_timeout_s, fresh=not retry_stale)
        try:
            try:
                await _head(link, head_timeout_s)
            except BrokenReplyError as error:
                if error.started or link.used == 1 or not retry_stale:
                    raise
                link = await self._begin(url, pool, raw, connect_timeout_s, fresh=True)
                await _head(link, head_timeout_s)
            yield Reply(link)
        finally:
            self._give_back(pool, link)

    def forget(self, url: str) -> None:
        """Close the connections of an engine that left: idle ones now, those in use when their request ends."""
        pool = self._pools.pop(url, None)
        if pool is not None:
            pool.clear()

    async def close(self) -> None:
        """Forget every engine."""
        for url in tuple(self._pools):
            self.forget(url)
        await asyncio.sleep(0)  # lets the transports finish closing

    async def _begin(self, url: str, pool: _Pool, raw: bytes, connect_timeout_s: float, *, fresh: bool) -> Link:
        link = None if fresh else self._take(pool)
        if link is None:
            link = await _connect(url, connect_timeout_s)
        link.begin(raw)
        return link

    def _take(self, pool: _Pool) -> Link | None:
        while pool.links:
            link = pool.links.pop()  # the one used last: the others grow old and go
            if link.reusable and self._clock() - link.idle_since < self._idle_s:
                return link
            link.close()
        return None

    def _give_back(self, pool: _Pool, link: Link) -> None:
        if pool.gone or not link.reusable:
            link.close()
            return
        link.idle_since = self._clock()
        pool.links.append(link)
        while len(pool.links) > self._max_idle or link.idle_since - pool.links[0].idle_since >= self._idle_s:
            pool.links.popleft().close()


async def _head(link: Link, timeout_s: float) -> None:
    try:
        async with asyncio.timeout(timeout_s):
            await link.head()
    except TimeoutError as error:
        raise ReplyTimeoutError(f"the engine gave no answer within {timeout_s} s", started=link.started) from error


async def _connect(url: str, timeout_s: float) -> Link:
    match = _URL.fullmatch(url)
    if match is None:
        raise ConnectError("an engine's url is http://host:port", started=False)
    host, port = match["host"].strip("[]"), int(match["port"] or 80)
    try:
        async with asyncio.timeout(timeout_s):
            _, link = await asyncio.get_running_loop().create_connection(Link, host, port)
    except TimeoutError as error:
        raise ConnectError(f"no connection within {timeout_s} s", started=False) from error
    except OSError as error:
        raise ConnectError(f"no connection: {error.strerror or type(error).__name__}", started=False) from error
    return link


def _request(url: str, method: str, path: str, headers: Headers, body: bytes) -> bytes:
    lines = [f"{method} {path} HTTP/1.1\r\nhost: {url.removeprefix('http://').rstrip('/')}\r\n".encode("ascii")]
    lines += [b"%b: %b\r\n" % header for header in headers]
    if body or method in ("POST", "PUT", "PATCH"):
        lines.append(b"content-length: %d\r\n" % len(body))
    if any(line.count(b"\n") != 1 + (index == 0) for index, line in enumerate(lines)):
        raise ValueError("a request's line or header holds a line break")
    return b"".join((*lines, b"\r\n", body))
