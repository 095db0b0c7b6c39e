"""A canned engine that streams at a fixed pace, and a canned control that takes every report: one small server for both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

import httptools
import msgspec

from stack.bench.router.chats import MODEL

_CHUNKED = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_NOTHING = b"HTTP/1.1 204 No Content\r\n\r\n"
_HOLD_SECONDS = 20.0  # a router's question for a newer configuration; there is none


class _Wanted(msgspec.Struct):
    """The part of a chat's body that matters here."""

    max_tokens: int


def chunk(event: bytes) -> bytes:
    """One server-sent event as one HTTP chunk."""
    framed = b"data: " + event + b"\n\n"
    return b"%x\r\n%b\r\n" % (len(framed), framed)


def _token() -> bytes:
    choice = {"index": 0, "delta": {"content": " canned"}, "finish_reason": None}
    return msgspec.json.encode(
        {"id": "chatcmpl-canned", "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": [choice]}
    )


def _whole(document: object) -> bytes:
    body = msgspec.json.encode(document)
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


TOKEN = chunk(_token())
_LAST = chunk(b"[DONE]") + b"0\r\n\r\n"
_MODELS = _whole({"object": "list", "data": [{"id": MODEL, "object": "model", "created": 1, "owned_by": "canned", "root": MODEL}]})
_HEALTH = _whole({})


class CannedServer(asyncio.Protocol):
    """One connection. Tokens go out `interval` seconds apart by the loop's clock, late ones at once: the pace never drifts."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._loop = asyncio.get_running_loop()
        self._url, self._body = b"", b""
        self._due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is one in all but its bases
        self._parser = httptools.HttpRequestParser(self)

    def connection_lost(self, error: Exception | None) -> None:
        if self._due is not None:
            self._due.cancel()

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_begin(self) -> None:
        self._url, self._body = b"", b""

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        if self._url.startswith((b"/v1/chat/", b"/v1/completions")):
            self._stream(msgspec.json.decode(self._body, type=_Wanted).max_tokens)
        elif self._url.startswith(b"/v1/models"):
            self._transport.write(_MODELS)
        elif b"/config" in self._url:
            self._at(self._loop.time() + _HOLD_SECONDS, lambda: self._transport.write(_NOTHING))
        elif b"/report" in self._url:
            self._transport.write(_NOTHING)
        else:
            self._transport.write(_HEALTH)

    def _stream(self, tokens: int) -> None:
        self._transport.write(_CHUNKED)
        self._emit(tokens, self._loop.time() + self._interval)

    def _emit(self, left: int, due: float) -> None:
        def fire() -> None:
            if left == 0:
                self._transport.write(_LAST)
                return
            self._transport.write(TOKEN)
            self._emit(left - 1, due + self._interval)

        self._at(due, fire)

    def _at(self, due: float, action: Callable[[], None]) -> None:
        self._due = self._loop.call_at(due, action)
