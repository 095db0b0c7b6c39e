"""The head of a request: refused unless every byte of it is beyond doubt, then simply taken apart.

Two parsers that read one request differently are what request smuggling lives on. So the head is checked against one
strict grammar first, after which there is one way only to split it into lines, names and values; and the framing of the
body is decided here, once, from unambiguous headers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from stack.router.message import Limits

_TOKEN = rb"[-!#$%&'*+.^_`|~0-9A-Za-z]+"
_REQUEST_LINE = rb"(?P<method>" + _TOKEN + rb") (?P<target>[\x21-\x7e]+) HTTP/(?P<version>[0-9]\.[0-9])\r\n"
# No folding, no space before the colon, no control character but the tab, no line that ends in less than CR LF.
_FIELDS = rb"(?:" + _TOKEN + rb":[\t\x20-\x7e\x80-\xff]*\r\n)*"
_HEAD = re.compile(_REQUEST_LINE + _FIELDS + rb"\r\n")
_STRAY_LF = re.compile(rb"(?<!\r)\n")
_ABSOLUTE = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
_LENGTH = re.compile(rb"[0-9]{1,19}")
_FRAMING = frozenset({b"host", b"content-length", b"transfer-encoding", b"expect", b"connection"})
# RFC 9110 and 5789, and what their relatives define: a method that nobody knows is no request for anything served here.
_METHODS = frozenset(
    b"GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH COPY LOCK MKCOL MOVE PROPFIND PROPPATCH SEARCH UNLOCK".split()
)
_LINE_OVERHEAD = 64  # method, version and spaces beside the target


class RefusedRequestError(Exception):
    """A request that is refused by the wire itself: `status`, and words for the client."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(slots=True)
class Head:
    """A request's head and how its body is framed. `length` is None when the body comes in chunks."""

    method: str
    path: str
    query: str
    headers: tuple[tuple[bytes, bytes], ...]
    length: int | None
    keep_alive: bool
    http10: bool
    expects_continue: bool


class HeadReader:
    """Takes the head of one request off the front of a growing buffer, looking at no byte twice."""

    __slots__ = ("_limits", "_scanned")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._scanned = 0

    def take(self, buffer: bytearray) -> Head | None:
        """The head, None while it is not whole. Raises RefusedRequestError as soon as it can no longer become a good one."""
        end = self._end(buffer)
        if end is None:
            return None
        with memoryview(buffer) as view:
            raw = bytes(view[:end])
        del buffer[:end]
        return _parse(raw, self._limits)

    def read(self, data: bytes) -> tuple[Head, int] | None:
        """As `take`, of bytes that stay as they are; with where the head ends. When it is not whole they go on in a buffer."""
        end = self._end(data)
        return None if end is None else (_parse(data[:end], self._limits), end)

    def _end(self, buffer: bytes | bytearray) -> int | None:
        limits = self._limits
        line_limit = limits.target_bytes + _LINE_OVERHEAD
        if not buffer[:1].isalpha():
            raise RefusedRequestError(400, "this is not an HTTP request")
        if buffer.find(b"\r\n", 0, line_limit) < 0 and len(buffer) >= line_limit:
            raise RefusedRequestError(414, "the request target is too long")
        end = buffer.find(b"\r\n\r\n", max(0, self._scanned - 3), limits.header_bytes)
        if end < 0:
            self._refuse_early(buffer)
            return None
        self._scanned = 0
        return end + 4

    def _refuse_early(self, buffer: bytes | bytearray) -> None:
        if len(buffer) >= self._limits.header_bytes:
            raise RefusedRequestError(431, "the request headers are too large")
        if _STRAY_LF.search(buffer, self._scanned):
            raise RefusedRequestError(400, "lines of a request head end in CR LF")
        self._scanned = len(buffer)


def _parse(raw: bytes, limits: Limits) -> Head:
    match = _HEAD.fullmatch(raw)
    if match is None:
        raise RefusedRequestError(400, "the request head is malformed")
    if match["version"] not in (b"1.1", b"1.0"):
        raise RefusedRequestError(505, "only HTTP/1.1 and HTTP/1.0 are spoken here")
    if len(match["target"]) > limits.target_bytes:
        raise RefusedRequestError(414, "the request target is too long")
    if match["method"] == b"CONNECT":
        raise RefusedRequestError(405, "this server is no tunnel")
    if match["method"] not in _METHODS:
        raise RefusedRequestError(501, "the request method is not known")
    fields = _fields(raw[match.end("version") + 2 : -4])
    if len(fields) > limits.header_count:
        raise RefusedRequestError(431, "the request has too many headers")
    path, query = _split(match["target"].decode("ascii"))
    http10 = match["version"] == b"1.0"
    said = _about_framing(fields)
    length, expects = _framing(said, http10)
    if length is not None and length > limits.body_bytes:
        raise RefusedRequestError(413, f"the request body is larger than {limits.body_bytes} bytes")
    keep_alive = not http10 and not _asks_to_close(said)
    return Head(match["method"].decode("ascii"), path, query, fields, length, keep_alive, http10, expects)


def _fields(lines: bytes) -> tuple[tuple[bytes, bytes], ...]:
    """Names in lower case, and values; the grammar has seen to it that every line has a name and a colon."""
    parted = [line.partition(b":") for line in lines.split(b"\r\n")] if lines else ()
    return tuple([(name.lower(), value.strip(b" \t")) for name, _, value in parted])


def _about_framing(fields: tuple[tuple[bytes, bytes], ...]) -> dict[bytes, list[bytes]]:
    """The values, in lower case, of the headers that say where a request ends and what follows it."""
    said: dict[bytes, list[bytes]] = {}
    for name, value in fields:
        if name in _FRAMING:
            said.setdefault(name, []).append(value.lower())
    return said


def _split(target: str) -> tuple[str, str]:
    if not target.startswith("/"):
        absolute = _ABSOLUTE.match(target)
        if absolute is None:
            raise RefusedRequestError(400, "the request target must be a path")
        target = target[absolute.end() :]
    path, _, query = target.partition("?")
    return path or "/", query


def _asks_to_close(said: dict[bytes, list[bytes]]) -> bool:
    values = said.get(b"connection")
    return values is not None and any(token.strip() == b"close" for value in values for token in value.split(b","))


def _framing(said: dict[bytes, list[bytes]], http10: bool) -> tuple[int | None, bool]:
    """Body length (None: chunked) and whether the client waits for 100 Continue; anything ambiguous is refused."""
    hosts, lengths, codings = said.get(b"host", ()), said.get(b"content-length", ()), said.get(b"transfer-encoding", ())
    if len(hosts) > 1 or (not hosts and not http10):
        raise RefusedRequestError(400, "exactly one Host header is needed")
    if codings and lengths:
        raise RefusedRequestError(400, "a request has a Content-Length or a Transfer-Encoding, not both")
    if len(lengths) > 1 or (lengths and not _LENGTH.fullmatch(lengths[0])):
        raise RefusedRequestError(400, "the Content-Length is not one number")
    if codings and (http10 or len(codings) > 1):
        raise RefusedRequestError(400, "one Transfer-Encoding at most, and none in HTTP/1.0")
    if codings and codings != [b"chunked"]:
        raise RefusedRequestError(501, "the only transfer coding known here is chunked")
    expects = () if http10 else said.get(b"expect", ())
    if expects and set(expects) != {b"100-continue"}:
        raise RefusedRequestError(417, "the only expectation known here is 100-continue")
    return None if codings else int(lengths[0]) if lengths else 0, bool(expects)
