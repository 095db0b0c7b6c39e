"""What the wire hands to the service: a request read whole, a responder to answer it with, and the limits of both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from stack.router.header_fields import HeaderFields, HeaderLines


class Request(msgspec.Struct, frozen=True, gc=False):
    """One HTTP request. `received_at` is the clock at its last byte."""

    method: str
    path: str
    query: str
    headers: HeaderFields
    body: bytes
    received_at: float


class ClientGoneError(ConnectionError):
    """The client left, or stopped reading for longer than the write limit."""


class Responder(Protocol):
    """Answers one request: either `send` once, or `start`, any number of `write`, and `finish`.

    Every method but `abort` raises ClientGoneError once the client left; the handler's task is cancelled as well.
    """

    @property
    def started(self) -> bool:
        """True once a status line went out: from then on no other answer can be given."""
        ...

    @property
    def disconnected(self) -> asyncio.Event:
        """Set when the client left."""
        ...

    async def send(self, status: int, headers: HeaderLines, body: bytes) -> None:
        """The whole answer; content-length is added, a HEAD request gets no body."""
        ...

    async def start(self, status: int, headers: HeaderLines) -> None:
        """Status and headers of an answer in pieces (chunked; until close for HTTP/1.0)."""
        ...

    async def write(self, chunk: bytes) -> None:
        """One piece. Waits while the client reads slowly."""
        ...

    async def finish(self) -> None:
        """The proper end of an answer in pieces."""
        ...

    def abort(self) -> None:
        """Cut the connection without a proper end, so that the client sees the answer as broken."""
        ...

    def put(self, status: int, headers: HeaderLines, body: bytes) -> bool:
        """As `send`, without waiting; whether the client takes it as it comes, so that there is nothing to wait for."""
        ...

    async def drained(self) -> None:
        """Wait until the client has taken enough of what was written."""
        ...

    def direct(self, way: Direct | None) -> None:
        """No task answers this request: `way` is told when the client leaves. None: not any more."""
        ...

    def done(self) -> None:
        """The answer of a request without a task is out, and all about it is done."""
        ...

    def go_on(self, rest: Rest) -> None:
        """What is left of a request without a task needs one. Until `rest` runs, it is `direct`'s as before."""
        ...


class Direct(Protocol):
    """A request that is being answered without a task: what happens calls it."""

    def cancel(self) -> None:
        """The client left."""
        ...


Rest = Coroutine[Any, Any, None]
# Answers a request when it is awaited. None: it is under way without a task, which `Responder.direct` was told.
Handler = Callable[[Request, Responder], Rest | None]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client may take. Bytes and seconds."""

    body_bytes: int = 16 * 1024 * 1024  # a prompt of a few million tokens; a larger body is refused unread
    header_bytes: int = 64 * 1024
    header_count: int = 128
    target_bytes: int = 8 * 1024
    head_timeout_s: float = 10.0
    body_timeout_s: float = 60.0
    idle_timeout_s: float = 75.0  # longer than the 60 s that load balancers keep idle connections
    write_timeout_s: float = 60.0  # a client that reads nothing for so long is cut off
    linger_s: float = 10.0  # how long the rest of a refused request is read and thrown away
    connections: int = 4096
    held_bytes: int = 1 << 30  # requests in memory, all connections together; beyond it the large ones still arriving are refused
    read_ahead_bytes: int = 64 * 1024  # pipelined bytes held while a request is being answered
