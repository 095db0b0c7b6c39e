"""One connection to an engine: an HTTP/1.1 client protocol on httptools that holds one request at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

import httptools

from stack.router.upstream_errors import BrokenReplyError, ConnectionLostError, ReplyTimeoutError, UpstreamError

_HIGH_WATER = 256 * 1024  # body bytes held for a slow reader before the engine is made to wait
_MAX_HEADERS = 256
_MAX_HEAD_BYTES = 64 * 1024


class Link(asyncio.Protocol):
    """`begin` a request, wait for `news` until it is `headed`, then for what is `taken` until None. Reusable while `reusable`."""

    __slots__ = (
        "_error", "_head_bytes", "_loop", "_parser", "_paused", "_pieces", "_transport", "_wake",
        "complete", "headed", "headers", "held", "idle_since", "reusable", "started", "status", "told", "used",
    )  # fmt: skip

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._parser: httptools.HttpResponseParser | None = None
        self._wake: asyncio.Future[None] | None = None
        self._error: UpstreamError | None = None
        self._paused = False
        self._pieces: list[bytes] = []
        self.held = 0
        """Body bytes that nobody has taken yet."""
        self._head_bytes = 0
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.headed = False
        self.complete = False
        self.started = False
        self.reusable = False
        """The answer came to its end and the engine keeps the connection open."""
        self.used = 0
        """Requests begun on this connection."""
        self.idle_since = 0.0
        self.told: Callable[[], None] | None = None
        """Called, in place of whoever waits, when more of an answer is here, or its end."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's transports are no subclass

    def data_received(self, data: bytes) -> None:
        self.started = True
        parser = self._parser
        if parser is None or self.complete:
            self._fail("bytes that no request asked for")
            return
        try:
            parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._fail("the engine switched protocols")
        except httptools.HttpParserError as error:
            self._fail(f"malformed HTTP: {type(error).__name__}")
        if not self.headed:
            self._head_bytes += len(data)
            if self._head_bytes > _MAX_HEAD_BYTES:
                self._fail("the answer's head is too large")
            elif self._error is None:
                return  # nothing that anybody waits for
        self._notify()

    def eof_received(self) -> None:
        """An answer without a length ends with the connection; the parser knows whether this one may."""
        self.reusable = False
        if self._parser is not None and self.headed and not self.complete and self._until_close():
            self.complete = True
        self._notify()

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        self.reusable = False
        if not self.complete:
            self._error = self._error or ConnectionLostError("the engine closed the connection", started=self.started)
        self._notify()

    def on_message_begin(self) -> None:
        if self.complete:
            self._fail("a second answer to one request")

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.headed:  # else a trailer, or a second answer
            self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        assert self._parser is not None
        status = self._parser.get_status_code()
        if self.headed:
            return
        if 100 <= status < 200:
            self.headers.clear()
            return
        self.status = status
        self.headed = True
        if len(self.headers) > _MAX_HEADERS:
            self._fail("the answer has too many headers")

    def on_body(self, piece: bytes) -> None:
        if self.complete:
            return
        self._pieces.append(piece)
        self.held += len(piece)
        if self.held > _HIGH_WATER and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()

    def on_message_complete(self) -> None:
        assert self._parser is not None
        if self.headed and not self.complete:
            self.complete = True
            self.reusable = self._error is None and self._parser.should_keep_alive()

    @property
    def flowing(self) -> bool:
        """Nothing is wrong, and nothing has to be taken before more can come."""
        return self._error is None and not self._paused

    @property
    def spent(self) -> bool:
        """Reusable, and all of the answer was taken."""
        return self.reusable and not self._pieces

    def begin(self, head: bytes, body: bytes) -> None:
        """Send one request. After a whole answer on a kept connection the parser stands where the next one begins."""
        if self._parser is None or not self.complete:
            self._parser = httptools.HttpResponseParser(self)
        self._head_bytes = self.status = 0
        self.headers = []
        self.headed = self.complete = self.started = self.reusable = False
        self.told = None
        self.used += 1
        if self._transport is None:
            self._error = BrokenReplyError("the engine closed the connection", started=False)
        else:
            self._transport.writelines((head, body) if body else (head,))

    def news(self) -> asyncio.Future[None]:
        """Done when there is more of the answer: wait for it where `headed` or `taken` say that there is not enough yet.

        Raises BrokenReplyError, ReplyTimeoutError when nothing more comes.
        """
        if self._error is not None:
            raise self._error
        self._wake = self._loop.create_future()
        return self._wake

    def taken(self) -> bytes | None:
        """The body bytes that arrived since the last call: none yet, or None when the body has ended."""
        if not self._pieces:
            return None if self.complete else b""
        data = b"".join(self._pieces)
        self._pieces.clear()
        self.held = 0
        if self._paused and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        return data

    def close(self) -> None:
        """Cut the connection: an engine that still works for it stops."""
        self.reusable = False
        if self._transport is not None:
            self._transport.abort()

    def interrupt(self, why: str) -> None:
        """Whoever waits has waited long enough, for `why`."""
        self.reusable = False
        self._error = self._error or ReplyTimeoutError(why, started=self.started)
        self._notify()

    def _notify(self) -> None:
        if self.told is not None:
            self.told()
        elif self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    def _fail(self, why: str) -> None:
        self._error = self._error or BrokenReplyError(why, started=self.started)
        self.close()

    def _until_close(self) -> bool:
        names = {name for name, _ in self.headers}
        return b"content-length" not in names and b"transfer-encoding" not in names
