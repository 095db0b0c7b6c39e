"""An engine's answer on its way in."""

from __future__ import annotations

from collections.abc import AsyncIterator

from stack.router.limit import Limit
from stack.router.link_pool import LinkPool
from stack.router.upstream_errors import BrokenReplyError
from stack.router.upstream_link import Link


class Reply:
    """Status and headers are there, the body comes as it arrives. Must be closed, in whatever state it is."""

    __slots__ = ("_limit", "_link", "_pool", "headers", "status")

    def __init__(self, pool: LinkPool, link: Link, limit: Limit) -> None:
        self._pool = pool
        self._link = link
        self._limit = limit
        self.status = link.status
        self.headers = link.headers

    def header(self, name: bytes) -> bytes | None:
        """The first value of `name` (lower case), None when it is absent."""
        for key, value in self.headers:
            if key == name:
                return value
        return None

    async def body(self, gap_timeout_s: float | None = None) -> AsyncIterator[bytes]:
        """Body bytes as they arrive; None leaves the request's own limit in force.

        Else no wait for the engine is longer than `gap_timeout_s`, however long the reader takes in between; a slow reader
        makes the engine wait. Raises ReplyTimeoutError, BrokenReplyError.
        """
        link, limit = self._link, self._limit
        while True:
            if gap_timeout_s is not None:
                limit.set(gap_timeout_s, "the engine sent nothing for")
            data = await link.piece()
            if data is None:
                return
            if gap_timeout_s is not None:
                limit.set(None)
            yield data

    async def read(self, most: int) -> bytes:
        """The whole body. Raises BrokenReplyError beyond `most` bytes, and as `body` does."""
        link = self._link
        if (rest := link.whole()) is not None and len(rest) <= most:
            return rest
        whole = bytearray(rest or b"")
        while len(whole) <= most:
            data = await link.piece()
            if data is None:
                return bytes(whole)
            whole += data
        raise BrokenReplyError(f"the answer is larger than {most} bytes", started=True)

    def close(self) -> None:
        """Give the connection back; one whose answer was not read to its end is cut."""
        self._pool.give_back(self._link)
