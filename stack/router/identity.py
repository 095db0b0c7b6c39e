"""Who a request is on its way: its id, its trace, and the headers that travel on to an engine and back."""

from __future__ import annotations

import random
import re
from functools import lru_cache

import msgspec

from stack.router.header_fields import HeaderFields, HeaderLines, header_lines
from stack.router.message import Request

_ID = re.compile(rb"[A-Za-z0-9._:-]{1,128}")
_TRACEPARENT = re.compile(rb"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")

# Between two neighbours only (RFC 9110, 7.6.1), plus those this router sets itself.
_HOP = {
    b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate", b"proxy-authorization",
    b"te", b"trailer", b"transfer-encoding", b"upgrade",
}  # fmt: skip
# Cookies are the router's (sessions); compressed answers could not be read on their way through.
_OURS = {
    b"host", b"content-length", b"content-type", b"expect", b"accept-encoding", b"cookie", b"authorization",
    b"x-request-id", b"traceparent",
}  # fmt: skip
# Which rank or place in its queue a request gets is not a client's to choose at a shared engine (vLLM reads these).
_STEERING = {b"x-data-parallel-rank", b"x-vllm-priority"}
_ENGINES_OWN = {b"content-length", b"date", b"server", b"x-request-id", b"traceparent"}
_NOT_OUTBOUND = frozenset(_HOP | _OURS | _STEERING)
_NOT_INBOUND = frozenset(_HOP | _ENGINES_OWN)
_USUAL = frozenset({b"keep-alive", b"close", b"Keep-Alive", b"Close"})  # what names no header that is not dropped anyway
_NOT_EVEN_READ = _NOT_INBOUND - {b"connection"}
_SAID_KEPT = 64  # what engines say beside this is mostly the same: that it is JSON

Pairs = list[tuple[bytes, bytes]]


class Identity(msgspec.Struct, frozen=True, gc=False):
    """The id and the trace of one request. A client's id is taken when it is short and harmless, else one is made.

    So neither can hold a line break. `echoed` are headers both ways: the id always, the trace when there is one.
    """

    request_id: str
    traceparent: bytes | None
    echoed: HeaderLines

    @classmethod
    def of(cls, request: Request) -> Identity:
        """Read the client's headers; what is malformed counts as absent."""
        given = request.headers.first(b"x-request-id")
        trace = request.headers.first(b"traceparent")
        return cls.named(
            _made() if given is None or _ID.fullmatch(given) is None else given.decode("ascii"),
            None if trace is None or _TRACEPARENT.fullmatch(trace) is None else trace,
        )

    @classmethod
    def named(cls, request_id: str, traceparent: bytes | None = None) -> Identity:
        """Of an id and a trace that are known to be harmless."""
        line = b"x-request-id: %b\r\n" % request_id.encode("ascii")
        lines = line if traceparent is None else b"%btraceparent: %b\r\n" % (line, traceparent)
        return cls(request_id, traceparent, HeaderLines(lines))

    def outbound(self, request: Request, authorization: bytes | None) -> HeaderLines:
        """Headers for an engine. `authorization` replaces the client's when given."""
        fields = request.headers
        if fields.onward is None or fields.onward[0] != authorization:
            fields.onward = authorization, header_lines(_onward(fields, authorization))
        return HeaderLines(fields.onward[1] + self.echoed)


def inbound(headers: Pairs) -> HeaderLines:
    """What of an engine's headers travels back to the client. Names are lower case. Raises ValueError on a line break in one."""
    return _said_back(tuple([header for header in headers if header[0] not in _NOT_EVEN_READ]))


@lru_cache(_SAID_KEPT)
def _said_back(headers: tuple[tuple[bytes, bytes], ...]) -> HeaderLines:
    return header_lines(_without(headers, _NOT_INBOUND))


def _onward(fields: HeaderFields, authorization: bytes | None) -> Pairs:
    headers = _without(fields.pairs, _NOT_OUTBOUND)
    credentials = authorization or fields.first(b"authorization")
    if credentials is not None:
        headers.append((b"authorization", credentials))
    headers.append((b"content-type", b"application/json"))
    return headers


def _made() -> str:
    """Unlike any other, not secret: no system call for it."""
    return f"{random.getrandbits(128):032x}"


def _without(headers: Pairs | tuple[tuple[bytes, bytes], ...], dropped: frozenset[bytes]) -> Pairs:
    """Neither what is `dropped`, nor what a Connection header names beside the usual."""
    named = [value for name, value in headers if name == b"connection" and value not in _USUAL]
    if named:
        dropped = dropped.union(token.strip().lower() for value in named for token in value.split(b","))
    return [pair for pair in headers if pair[0] not in dropped]
