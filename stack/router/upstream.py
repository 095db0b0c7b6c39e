"""Requests to engines over kept-alive connections, one pool an engine."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from stack.router.header_fields import HeaderLines
from stack.router.limit import Limit, Limits
from stack.router.link_pool import LinkPool
from stack.router.reply import Reply, strike_later
from stack.router.upstream_errors import BrokenReplyError, ConnectError
from stack.router.upstream_link import Link

_URL = re.compile(r"http://(?P<host>\[[0-9a-fA-F:.]+\]|[^/:\[\]@\s]+)(?::(?P<port>[0-9]{1,5}))?/?")

_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


class Sent:
    """A request that goes out `on` a link, and waits for its answer there."""

    __slots__ = ("_body", "_head", "limit", "link", "pool")

    def __init__(self, pool: LinkPool, method: str, path: str, headers: HeaderLines, body: bytes, limit: Limit) -> None:
        if body or method in _WITH_BODY:
            self._head = b"%b%bcontent-length: %d\r\n\r\n" % (pool.opening(method, path), headers, len(body))
        else:
            self._head = b"%b%b\r\n" % (pool.opening(method, path), headers)
        self._body = body
        self.pool = pool
        self.limit = limit
        self.link: Link

    def on(self, link: Link) -> None:
        """Send it; the limit goes on."""
        self.link = link
        link.begin(self._head, self._body)
        self.limit.guard(link)


class Upstream:
    """All engines' connections. A connection serves one request at a time and goes back to its pool after it."""

    def __init__(self, *, max_idle_per_engine: int = 256, idle_s: float = 4.0, clock: Callable[[], float] = time.monotonic) -> None:
        """`idle_s` stays under the 5 s after which vLLM's HTTP server (uvicorn) closes an idle connection."""
        self._max_idle = max_idle_per_engine
        self._idle_s = idle_s
        self._clock = clock
        self._pools: dict[str, LinkPool] = {}
        self.limits = Limits()

    @asynccontextmanager
    async def request(
        self,
        url: str,
        method: str,
        path: str,
        headers: HeaderLines,
        body: bytes = b"",
        *,
        connect_timeout_s: float,
        timeout_s: float,
        retry_stale: bool = True,
    ) -> AsyncIterator[Reply]:
        """One request and its answer, in `timeout_s` from now; `Reply.piece` may set a limit of its own. Raises as `ask` does."""
        limit = self.limits.start(timeout_s, "the engine gave no answer within")
        try:
            reply = await self.ask(
                url, method, path, headers, body, limit, connect_timeout_s=connect_timeout_s, retry_stale=retry_stale
            )
            try:
                yield reply
            finally:
                reply.close()
        finally:
            limit.drop()

    async def ask(
        self,
        url: str,
        method: str,
        path: str,
        headers: HeaderLines,
        body: bytes,
        limit: Limit,
        *,
        connect_timeout_s: float,
        retry_stale: bool = True,
    ) -> Reply:
        """Send one request and wait for the answer's head; `limit` holds until the reply is closed.

        With `retry_stale` a request that met a kept-alive connection just as the engine closed it is sent once more on a
        fresh one: only when no byte of an answer came and the connection had served before. An engine that had begun to
        work would have to close a live connection without a word for the request to run twice, and generating twice
        changes no state; what must not run twice (a request with KV-transfer params) is sent with `retry_stale=False`.
        Raises ConnectError, ReplyTimeoutError, BrokenReplyError.
        """
        pool = self.pool(url)
        sent = Sent(pool, method, path, headers, body, limit)
        link = pool.take() if retry_stale else None
        sent.on(await _connect(url, connect_timeout_s) if link is None else link)
        return await self.reply(sent, connect_timeout_s, retry_stale=retry_stale)

    async def reply(self, sent: Sent, connect_timeout_s: float, *, retry_stale: bool = True) -> Reply:
        """Wait for the head of the answer to what was sent; see `ask`."""
        while True:
            link = sent.link
            try:
                while not link.headed:
                    await link.news()
                return Reply(sent.pool, link, sent.limit)
            except asyncio.CancelledError:
                if not link.headed:
                    link.close()
                    raise
                strike_later()
                return Reply(sent.pool, link, sent.limit)
            except BaseException as error:
                link.close()
                stale = isinstance(error, BrokenReplyError) and not error.started and link.used > 1
                if not stale or not retry_stale:
                    raise
            sent.on(await _connect(sent.pool.url, connect_timeout_s))

    def pool(self, url: str) -> LinkPool:
        """The kept connections of the engine at `url`."""
        pool = self._pools.get(url)
        if pool is None:
            pool = self._pools[url] = LinkPool(url, self._max_idle, self._idle_s, self._clock)
        return pool

    def forget(self, url: str) -> None:
        """Close the connections of an engine that left: idle ones now, those in use when their request ends."""
        pool = self._pools.pop(url, None)
        if pool is not None:
            pool.clear()

    async def close(self) -> None:
        """Forget every engine."""
        for url in tuple(self._pools):
            self.forget(url)
        self.limits.close()
        await asyncio.sleep(0)  # lets the transports finish closing


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
