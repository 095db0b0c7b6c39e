"""The way of most requests: straight to one engine, on a connection that is there, for an answer that comes whole.

It takes no task, since nothing is waited for but that answer. Whatever else happens on the way (a connection that broke, an
engine that refuses, a limit that struck, a client that reads slowly) is not dealt with here: the request goes on, from
where it stands, in the task that all others have from their beginning.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from stack.control.decision import CLIENT_LEFT
from stack.router.asking import Asking, Begun, is_stream
from stack.router.errand import Errand
from stack.router.forwarding import direct_bytes
from stack.router.identity import inbound
from stack.router.in_flight import Attempt
from stack.router.message import ClientGoneError, Responder, Rest
from stack.router.retry_budget import RetryBudget
from stack.router.upstream import Sent, Upstream

WHOLE_BYTES_MAX = 32 * 1024  # what a connection takes in one write, however its client reads


class Course(Protocol):
    """What all requests have in common beside the way they take."""

    def carry_out(self, errand: Errand, responder: Responder, begun: Begun) -> Rest:
        """The request from the engine's answer on."""
        ...

    def over(self, errand: Errand) -> None:
        """The client has what it gets."""
        ...


class Shortcut:
    """Takes requests, or leaves them as they are."""

    def __init__(self, asking: Asking, upstream: Upstream, retries: RetryBudget) -> None:
        self._asking = asking
        self._upstream = upstream
        self._retries = retries

    def take(self, errand: Errand, responder: Responder, course: Course) -> bool:
        """Send the request, if it is of the common kind."""
        plan, parsed = errand.plan, errand.parsed
        if parsed.stream or plan.prefill is not None:
            return False
        engine = plan.decode.engine
        pool = self._upstream.pool(errand.url(engine))
        body = direct_bytes(parsed)
        link = pool.take(errand.decided_at)
        if link is None:
            return False
        self._retries.earn()
        attempt, limit = self._asking.begin(errand, engine)
        sent = Sent(pool, "POST", parsed.path, attempt.headers(errand.outbound), body, limit)
        sent.on(link)
        way = _Way(self._asking, errand, responder, course, attempt, sent)
        link.told = way.told
        responder.direct(way)
        return True


class _Way(msgspec.Struct, eq=False):
    """One request under way; without its errand it is somebody else's, or over."""

    _asking: Asking
    _errand: Errand | None
    _responder: Responder
    _course: Course
    attempt: Attempt
    sent: Sent

    def told(self) -> None:
        """Something came on the engine's connection, or it ended."""
        link, errand = self.sent.link, self._errand
        if errand is None:
            return
        if not link.flowing or not 200 <= link.status < 400 or link.held > WHOLE_BYTES_MAX or is_stream(link.headers):
            link.told = None
            self._responder.go_on(self._course.carry_out(errand, self._responder, self))
        elif link.complete:
            self.claim()
            self._answer(errand)

    def claim(self) -> None:
        """Whoever calls this carries it to its end from here on."""
        self.sent.link.told = None
        self._responder.direct(None)  # which knows it, and it the responder: nobody looks for such rings often
        self._errand = None

    def cancel(self) -> None:
        """The client left: what the engine does for it ends."""
        errand = self._errand
        if errand is None:
            return
        self.claim()
        self.sent.link.close()
        self._asking.end(self.attempt, self.sent.limit)
        errand.status, errand.error = CLIENT_LEFT, "client_left"
        self._course.over(errand)

    def _answer(self, errand: Errand) -> None:
        failed: Exception | None = None
        flowing, asking, sent = False, self._asking, self.sent
        link, now = sent.link, asking.now()
        status, headers, body = link.status, link.headers, link.taken() or b""
        sent.pool.give_back(link, now)
        asking.end(self.attempt, sent.limit, now)
        try:
            asking.answered(errand, now)
            flowing = self._responder.put(status, *asking.settled(errand, status, inbound(headers), body))
        except ClientGoneError as error:
            errand.status, errand.error, failed = CLIENT_LEFT, "client_left", error
        except Exception as error:  # the connection deals with it, as with what any handler raises
            failed = error
        self._course.over(errand)
        if flowing:
            self._responder.done()
        else:
            self._responder.go_on(_end(self._responder, failed))


async def _end(responder: Responder, failed: Exception | None) -> None:
    if failed is not None:
        raise failed
    await responder.drained()
