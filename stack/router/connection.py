"""One client connection: reads requests one after the other, lets the handler answer each, and guards the times."""

from __future__ import annotations

import asyncio
from enum import Enum, auto
from typing import cast

from stack.router.attendant import Attendant
from stack.router.deadline import Deadline
from stack.router.head import RefusedRequestError
from stack.router.message import Request, Rest
from stack.router.outlet import Outlet
from stack.router.reader import RequestReader
from stack.router.response import Response
from stack.router.site import Site


class Phase(Enum):
    """What a connection waits for."""

    IDLE = auto()
    HEAD = auto()
    BODY = auto()
    ANSWER = auto()
    GONE = auto()  # answered for the last time: what still comes in is thrown away


class Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive; pipelined requests wait their turn, so answers come in order."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._reader = RequestReader(site.limits, site.clock)
        self._outlet = Outlet(site.limits.write_timeout_s)
        self._response: Response | None = None
        self._phase = Phase.IDLE
        self._deadline = Deadline(self._on_time)
        self._attendant = Attendant(site, self.answered)
        self._held = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._outlet.open(cast(asyncio.Transport, transport))  # uvloop's transports are no subclass
        self._wait(Phase.IDLE, self._site.limits.idle_timeout_s)
        if not self._site.enter(self):
            self._refuse(503, "this router takes no further connection")

    def data_received(self, data: bytes) -> None:
        phase = self._phase
        if phase is Phase.GONE:
            return
        self._reader.feed(data)
        if phase is not Phase.ANSWER:
            self._read()
        elif self._reader.pending > self._site.limits.read_ahead_bytes:
            self._outlet.pause_reading()

    def eof_received(self) -> None:
        """A client that closes its half has left: nothing more is computed for it."""
        if self._phase is Phase.ANSWER and not self._answered:
            self.abort()

    def connection_lost(self, error: Exception | None) -> None:
        self._phase = Phase.GONE
        self._outlet.lost()
        self._deadline.cancel()
        if self._response is not None:
            self._response.lost()
        self._attendant.dismiss(at_once=not self._answered)
        self._reader.drop()  # at once: a connection refers to itself, and the garbage collector comes late
        self._hold(0)
        self._site.leave(self)

    def pause_writing(self) -> None:
        self._outlet.pause()

    def resume_writing(self) -> None:
        self._outlet.resume()

    @property
    def busy(self) -> bool:
        """A request is being read or answered."""
        return self._phase in (Phase.HEAD, Phase.BODY, Phase.ANSWER)

    def drain(self) -> None:
        """Close now when idle, else after the present answer."""
        if self._phase is Phase.IDLE:
            self._hang_up()

    def abort(self) -> None:
        """Cut the connection; its handler is cancelled."""
        self._outlet.abort()

    @property
    def _answered(self) -> bool:
        """The answer is complete: what its handler still does (records, learning) is no business of the client's."""
        return self._response is not None and self._response.finished

    def _read(self) -> None:
        try:
            request = self._reader.take()
        except RefusedRequestError as error:
            self._refuse(error.status, error.message)
            return
        if request is not None:
            self._hold(len(request.body))
            self._answer(request)
            return
        self._hold(self._reader.held)
        if self._site.crowded_by(self._held):
            self._refuse(503, "this router holds as many large requests as it can: try again")
        elif self._reader.in_body and self._phase is not Phase.BODY:
            self._wait(Phase.BODY, self._site.limits.body_timeout_s)
            if self._reader.awaits_continue:
                self._outlet.put(b"HTTP/1.1 100 Continue\r\n\r\n")
        elif self._reader.pending and self._phase is Phase.IDLE:
            self._wait(Phase.HEAD, self._site.limits.head_timeout_s)

    def _answer(self, request: Request) -> None:
        head, site = self._reader.head, self._site
        assert head is not None
        response = Response(
            self._outlet,
            keep_alive=head.keep_alive and not site.draining,
            chunked=not head.http10,
            bodyless=request.method == "HEAD",
            owner=self,
            path=request.path,
        )
        self._response = response
        self._phase = Phase.ANSWER  # which no deadline ends: see `_on_time`
        try:
            rest = site.handler(request, response)
        except Exception as error:  # a handler may fail in any way
            response.fail(error)
            self.answered(response)
            return
        if rest is not None:
            self._attendant.attend(response, rest)

    def answered(self, response: Response) -> None:
        """All about a request is done: the next one may come."""
        self._hold(0)
        if self._phase is Phase.GONE:
            return
        if not response.finished:
            self._outlet.abort()
        elif response.keep_alive and not self._site.draining:
            self._wait(Phase.IDLE, self._site.limits.idle_timeout_s)
            if not self._outlet.reading:
                self._outlet.resume_reading()
            if self._reader.pending:
                self._read()
        else:
            self._hang_up()

    def attend(self, response: Response, rest: Rest) -> None:
        """The rest of an answer takes a task."""
        self._attendant.attend(response, rest)

    def _refuse(self, status: int, message: str) -> None:
        """Answer what was no request, then read on for a while: closing at once would reset the answer away."""
        self._site.refused(status)
        Response(self._outlet, keep_alive=False).put_error(status, message)
        self._reader.drop()
        self._hold(0)
        self._outlet.end()
        self._wait(Phase.GONE, self._site.limits.linger_s)

    def _hang_up(self) -> None:
        self._wait(Phase.GONE, self._site.limits.linger_s)
        if self._reader.pending:
            self._outlet.end()
        else:
            self._outlet.close()

    def _hold(self, size: int) -> None:
        self._site.held_bytes += size - self._held
        self._held = size

    def _wait(self, phase: Phase, seconds: float | None) -> None:
        self._phase = phase
        self._deadline.set(seconds)

    def _on_time(self) -> None:
        if self._phase in (Phase.HEAD, Phase.BODY):
            self._refuse(408, "the request took too long to arrive")
        elif self._phase is Phase.IDLE:
            self._hang_up()
        elif self._phase is Phase.GONE:
            self._outlet.abort()
