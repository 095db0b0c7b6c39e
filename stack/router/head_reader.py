"""Finds where a request's head ends, and knows the head that one connection says over and over."""

from __future__ import annotations

import re

from stack.router.head import Head, RefusedRequestError, check_length, parse
from stack.router.message import Limits

_STRAY_LF = re.compile(rb"(?<!\r)\n")
_LINE_OVERHEAD = 64  # method, version and spaces beside the target
_LENGTH_LINE = re.compile(rb"\r\ncontent-length:[\t ]*([0-9]+)", re.IGNORECASE)
_DIGITS_MAX = 19
_SAID_MAX = 4096  # bytes of a head that is kept for as long as its connection


class HeadReader:
    """Takes the head of one request off the front of a connection's bytes, looking at no byte twice."""

    __slots__ = ("_limits", "_said", "_scanned")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._scanned = 0
        self._said: _Said | None = None

    def take(self, buffer: bytearray) -> Head | None:
        """The head, None while it is not whole. Raises RefusedRequestError as soon as it can no longer become a good one."""
        end = self._end(buffer)
        if end is None:
            return None
        with memoryview(buffer) as view:
            raw = bytes(view[:end])
        del buffer[:end]
        return parse(raw, self._limits)

    def read(self, data: bytes) -> tuple[Head, int] | None:
        """As `take`, of bytes that stay as they are; with where the head ends. When it is not whole they go on in a buffer.

        The head is the reader's own: it holds until the next one is read.
        """
        if self._said is not None and (again := self._said.again(data, self._limits)) is not None:
            return again
        end = self._end(data)
        if end is None:
            return None
        raw = data[:end]
        head = parse(raw, self._limits)
        self._said = _Said.of(raw, head)
        return head, end

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


class _Said:
    """A head that was good, as the bytes before and after the digits of its Content-Length.

    Clients send the same head on a connection request after request, but for the length. A head with the same bytes and
    other digits is as good as the first one, and reads the same: digits are all that the grammar and the framing know of
    that place.
    """

    __slots__ = ("_after", "_before", "_end", "_head")

    def __init__(self, before: bytes, after: bytes, head: Head) -> None:
        self._before = before
        self._after = after
        self._head = head
        self._end = len(before) + len(after)
        """Where the last one ended."""

    @classmethod
    def of(cls, raw: bytes, head: Head) -> _Said | None:
        """None where no length is said, or too much else. That there is one such line at most, `parse` has seen to."""
        line = _LENGTH_LINE.search(raw) if len(raw) <= _SAID_MAX else None
        return None if line is None else cls(raw[: line.start(1)], raw[line.end(1) :], head)

    def again(self, data: bytes, limits: Limits) -> tuple[Head, int] | None:
        """The head, with its new length, when `data` begins with it; with where it ends. Raises RefusedRequestError."""
        head, end = self._head, self._end
        length = len(data) - end
        if 0 <= length <= limits.body_bytes:  # what most clients send: the head, and then just its body
            said = b"%b%d%b" % (self._before, length, self._after)
            if len(said) == end and data.startswith(said):
                head.length = length
                return head, end
        if not data.startswith(self._before):
            return None
        begin = len(self._before)
        end = data.find(b"\r", begin, begin + _DIGITS_MAX + 1)
        if end < 0 or not data.startswith(self._after, end):
            return None
        digits = data[begin:end]
        if not digits.isdigit():
            return None
        end += len(self._after)
        if end > limits.header_bytes:
            return None
        self._end = end
        head.length = length = int(digits)
        if length > limits.body_bytes:
            check_length(length, limits)
        return head, end
