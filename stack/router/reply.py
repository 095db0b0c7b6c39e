"""An engine's answer on its way in."""

from __future__ import annotations

import asyncio

from stack.router.limit import Limit
from stack.router.link_pool import LinkPool
from stack.router.upstream_errors import BrokenReplyError
from stack.router.upstream_link import Link


def strike_later() -> None:
    """A cancellation came just after what was waited for: that is taken, and the next wait is what ends.

    So a hand-over that has arrived is known, and can be collected, also when the client leaves in that moment.
    """
    if (task := asyncio.current_task()) is not None:
        task.cancel()


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

    async def piece(self, gap_timeout_s: float | None = None) -> bytes | None:
        """Body bytes as they arrive, None at the end.

        The wait for them is no longer than `gap_timeout_s`, or the request's own limit where that is None. A slow reader makes
        the engine wait. Raises ReplyTimeoutError, BrokenReplyError, once what came before is taken.
        """
        link = self._link
        data = link.taken()
        if data != b"":
            return data
        if gap_timeout_s is not None:
            self._limit.set(gap_timeout_s, "the engine sent nothing for")
        while data == b"":
            await link.news()
            data = link.taken()
        if gap_timeout_s is not None:
            self._limit.set(None)
        return data

    async def read(self, most: int) -> bytes:
        """The whole body. Raises BrokenReplyError beyond `most` bytes, and as `piece` does."""
        data = self._link.taken()
        if self._link.complete and (data is None or len(data) <= most):
            return data or b""
        whole = bytearray(data or b"")
        while len(whole) <= most:
            try:
                data = await self.piece()
            except asyncio.CancelledError:
                if not self._link.complete:
                    raise
                strike_later()
                continue
            if data is None:
                return bytes(whole)
            whole += data
        raise BrokenReplyError(f"the answer is larger than {most} bytes", started=True)

    def close(self) -> None:
        """Give the connection back; one whose answer was not read to its end is cut."""
        self._pool.give_back(self._link)
