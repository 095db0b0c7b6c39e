"""One answer, written as HTTP/1.1 (or 1.0) bytes."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from http import HTTPStatus
from typing import Protocol

import msgspec

from stack.router.errors import JSON_HEADERS, error_body
from stack.router.header_fields import HeaderLines
from stack.router.message import ClientGoneError, Direct, Rest
from stack.router.outlet import Outlet

log = logging.getLogger(__name__)

_STATUS_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode("ascii") for status in HTTPStatus}


class Owner(Protocol):
    """The connection that an answer goes to."""

    def answered(self, response: Response) -> None:
        """The answer is out."""
        ...

    def attend(self, response: Response, rest: Rest) -> None:
        """The answer takes a task."""
        ...


class Response(msgspec.Struct, eq=False):
    """Implements `stack.router.message.Responder` on one connection. `chunked`: pieces go out as chunks, else until it closes."""

    outlet: Outlet
    keep_alive: bool
    chunked: bool = True
    bodyless: bool = False
    owner: Owner | None = None
    path: str = ""
    started: bool = False
    finished: bool = False
    _way: Direct | None = None

    @property
    def disconnected(self) -> asyncio.Event:
        """Set when the client left."""
        return self.outlet.disconnected

    async def send(self, status: int, headers: HeaderLines, body: bytes) -> None:
        """The whole answer in one write."""
        self.put(status, headers, body)
        if self.outlet.full:
            await self.outlet.drained()

    def put(self, status: int, headers: HeaderLines, body: bytes) -> bool:
        """The whole answer, without waiting for the client to take it; whether there is nothing to wait for."""
        if self.started:
            raise RuntimeError("a request is answered once")
        outlet = self.outlet
        head = self._head(status, headers, b"" if status == 204 else b"content-length: %d\r\n" % len(body))
        self.started = self.finished = True
        outlet.put(head if self.bodyless or status in (204, 304) else head + body)
        return not outlet.full

    def put_error(self, status: int, message: str) -> None:
        """The router's own words, to a client that may have left."""
        with suppress(ClientGoneError):
            self.put(status, JSON_HEADERS, error_body(status, message))

    def fail(self, error: Exception) -> None:
        """The router's own code failed: that is logged, and the client gets an answer if it has none yet."""
        log.error("handler failed", exc_info=error, extra={"path": self.path})
        if not self.started:
            self.put_error(500, "the router failed on this request")

    async def start(self, status: int, headers: HeaderLines) -> None:
        """Status and headers; the pieces follow."""
        if self.started:
            raise RuntimeError("a request is answered once")
        head = self._head(status, headers, b"transfer-encoding: chunked\r\n" if self.chunked else b"")
        self.started = True
        self.outlet.put(head)

    async def write(self, chunk: bytes) -> None:
        """One piece; an empty one is no piece (in chunks it would be the end)."""
        if not self.started or self.finished:
            raise RuntimeError("pieces come between start and finish")
        if chunk and not self.bodyless:
            self.outlet.put(b"%x\r\n%b\r\n" % (len(chunk), chunk) if self.chunked else chunk)
        if self.outlet.full:
            await self.outlet.drained()

    async def finish(self) -> None:
        """The end of the pieces."""
        if not self.started or self.finished:
            raise RuntimeError("an answer ends once, after it started")
        self.finished = True
        if self.chunked and not self.bodyless:
            self.outlet.put(b"0\r\n\r\n")
        await self.outlet.drained()

    async def drained(self) -> None:
        """Wait until the client has taken enough of it."""
        await self.outlet.drained()

    def direct(self, way: Direct | None) -> None:
        """No task answers: `way` is told when the client leaves. None: not any more."""
        self._way = way

    def done(self) -> None:
        """All about the request is done."""
        if self.owner is not None:
            self.owner.answered(self)

    def go_on(self, rest: Rest) -> None:
        """What is left needs a task."""
        if self.owner is None:
            rest.close()
        else:
            self.owner.attend(self, rest)

    def lost(self) -> None:
        """The client left."""
        way, self._way = self._way, None
        if way is not None:
            way.cancel()

    def abort(self) -> None:
        """Cut the connection."""
        self.started = True
        self.outlet.abort()

    def _head(self, status: int, headers: HeaderLines, framing: bytes) -> bytes:
        line = _STATUS_LINES.get(status) or b"HTTP/1.1 %d Status\r\n" % status
        return b"%b%b%b%b" % (line, headers, framing, b"\r\n" if self.keep_alive else b"connection: close\r\n\r\n")
