"""The head of a request: refused unless every byte of it is beyond doubt, then simply taken apart.

Two parsers that read one request differently are what request smuggling lives on. So the head is checked against one
strict grammar first, after which there is one way only to split it into lines, names and values; and the framing of the
body is decided here, once, from unambiguous headers.
"""

from __future__ import annotations

import re

import msgspec

from stack.router.header_fields import HeaderFields
from stack.router.message import Limits

_TOKEN = rb"[-!#$%&'*+.^_`|~0-9A-Za-z]+"
_REQUEST_LINE = rb"(?P<method>" + _TOKEN + rb") (?P<target>[\x21-\x7e]+) HTTP/(?P<version>[0-9]\.[0-9])\r\n"
# No folding, no space before the colon, no control character but the tab, no line that ends in less than CR LF.
_FIELDS = rb"(?P<fields>(?:" + _TOKEN + rb":[\t\x20-\x7e\x80-\xff]*\r\n)*)"
_HEAD = re.compile(_REQUEST_LINE + _FIELDS + rb"\r\n")
_ABSOLUTE = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
_LENGTH = re.compile(rb"[0-9]{1,19}")
# RFC 9110 and 5789, and what their relatives define: a method that nobody knows is no request for anything served here.
_METHODS = frozenset(
    b"GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH COPY LOCK MKCOL MOVE PROPFIND PROPPATCH SEARCH UNLOCK".split()
)


class RefusedRequestError(Exception):
    """A request that is refused by the wire itself: `status`, and words for the client."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Head(msgspec.Struct, gc=False):
    """A request's head and how its body is framed. `length` is None when the body comes in chunks.

    `headers` are all but a Content-Length, which says nothing that `length` does not.
    """

    method: str
    path: str
    query: str
    headers: HeaderFields
    length: int | None
    keep_alive: bool
    http10: bool
    expects_continue: bool


def parse(raw: bytes, limits: Limits) -> Head:
    """The head that `raw` is, through its empty line. Raises RefusedRequestError."""
    match = _HEAD.fullmatch(raw)
    if match is None:
        raise RefusedRequestError(400, "the request head is malformed")
    method, target, version, lines = match.groups()
    if version not in (b"1.1", b"1.0"):
        raise RefusedRequestError(505, "only HTTP/1.1 and HTTP/1.0 are spoken here")
    if len(target) > limits.target_bytes:
        raise RefusedRequestError(414, "the request target is too long")
    if method == b"CONNECT":
        raise RefusedRequestError(405, "this server is no tunnel")
    if method not in _METHODS:
        raise RefusedRequestError(501, "the request method is not known")
    pairs = _pairs(lines)
    if len(pairs) > limits.header_count:
        raise RefusedRequestError(431, "the request has too many headers")
    path, query = _split(target.decode("ascii"))
    http10 = version == b"1.0"
    fields = HeaderFields(pairs)
    length, expects = _framing(fields, http10)
    check_length(length, limits)
    keep_alive = not http10 and not _asks_to_close(fields)
    headers = HeaderFields(tuple([pair for pair in pairs if pair[0] != b"content-length"]))
    return Head(method.decode("ascii"), path, query, headers, length, keep_alive, http10, expects)


def check_length(length: int | None, limits: Limits) -> None:
    """Raises RefusedRequestError of a body that is known to be too long."""
    if length is not None and length > limits.body_bytes:
        raise RefusedRequestError(413, f"the request body is larger than {limits.body_bytes} bytes")


def _pairs(lines: bytes) -> tuple[tuple[bytes, bytes], ...]:
    """Names in lower case, and values; the grammar has seen to it that every line has a name and a colon."""
    parted = [line.partition(b":") for line in lines[:-2].split(b"\r\n")] if lines else ()
    return tuple([(name.lower(), value.strip(b" \t")) for name, _, value in parted])


def _split(target: str) -> tuple[str, str]:
    if not target.startswith("/"):
        absolute = _ABSOLUTE.match(target)
        if absolute is None:
            raise RefusedRequestError(400, "the request target must be a path")
        target = target[absolute.end() :]
    path, _, query = target.partition("?")
    return path or "/", query


def _asks_to_close(fields: HeaderFields) -> bool:
    values = fields.all(b"connection")
    return any(token.strip().lower() == b"close" for value in values for token in value.split(b","))


def _framing(fields: HeaderFields, http10: bool) -> tuple[int | None, bool]:
    """Body length (None: chunked) and whether the client waits for 100 Continue; anything ambiguous is refused."""
    hosts, lengths, codings = fields.all(b"host"), fields.all(b"content-length"), fields.all(b"transfer-encoding")
    if len(hosts) > 1 or (not hosts and not http10):
        raise RefusedRequestError(400, "exactly one Host header is needed")
    if codings and lengths:
        raise RefusedRequestError(400, "a request has a Content-Length or a Transfer-Encoding, not both")
    if len(lengths) > 1 or (lengths and not _LENGTH.fullmatch(lengths[0])):
        raise RefusedRequestError(400, "the Content-Length is not one number")
    if codings and (http10 or len(codings) > 1):
        raise RefusedRequestError(400, "one Transfer-Encoding at most, and none in HTTP/1.0")
    if codings and codings[0].lower() != b"chunked":
        raise RefusedRequestError(501, "the only transfer coding known here is chunked")
    expects = () if http10 else fields.all(b"expect")
    if any(expectation.lower() != b"100-continue" for expectation in expects):
        raise RefusedRequestError(417, "the only expectation known here is 100-continue")
    return None if codings else int(lengths[0]) if lengths else 0, bool(expects)
