"""Requests out of one connection's bytes, the same ones however the bytes are cut."""

from __future__ import annotations

from collections.abc import Callable

from stack.router.chunked import BodyTooLargeError, ChunkedBody, ChunkError
from stack.router.head import Head, RefusedRequestError
from stack.router.head_reader import HeadReader
from stack.router.message import Limits, Request


class RequestReader:
    """Feed it bytes, take requests. Raises RefusedRequestError, after which nothing more can be read."""

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._buffer = bytearray()
        self._fresh = b""  # what came last, when nothing was waiting before it: most requests come whole, in one piece
        self._heads = HeadReader(limits)
        self._chunks: ChunkedBody | None = None
        self.head: Head | None = None
        """The head whose body is being read, or that was taken last."""
        self.in_body = False

    def feed(self, data: bytes) -> None:
        """Add bytes as they arrived."""
        if self._buffer or self._fresh or self.in_body:
            self._settle()
            self._buffer += data
        else:
            self._fresh = data

    @property
    def pending(self) -> int:
        """Bytes fed and not yet part of a request that was taken."""
        return len(self._buffer) + len(self._fresh)

    @property
    def held(self) -> int:
        """Bytes in memory for requests that were not taken yet."""
        return self.pending + (0 if self._chunks is None else len(self._chunks.body))

    @property
    def awaits_continue(self) -> bool:
        """The client holds the body back until it is told to go on."""
        return self.in_body and not self._buffer and self.head is not None and self.head.expects_continue

    def take(self) -> Request | None:
        """The next request once it is whole, else None."""
        if self._fresh and (whole := self._take_fresh()) is not None:
            return whole
        if not self.in_body and not self._take_head():
            return None
        head = self.head
        assert head is not None
        body = self._take_body(head)
        if body is None:
            return None
        self.in_body = False
        self._chunks = None
        return Request(head.method, head.path, head.query, head.headers, body, self._clock())

    def drop(self) -> None:
        """Forget what was fed: the connection is given up."""
        self._fresh = b""
        self._buffer.clear()
        self._chunks = None

    def _take_fresh(self) -> Request | None:
        """One request that is just what came, without copying it about; all else goes on in the buffer."""
        data = self._fresh
        read = self._heads.read(data)
        if read is None:
            self._settle()
            return None
        head, end = read
        if head.length == len(data) - end:
            self.head, self._fresh = head, b""
            return Request(head.method, head.path, head.query, head.headers, data[end:], self._clock())
        self._begin_body(head)
        self._fresh = data[end:]
        self._settle()
        return None

    def _settle(self) -> None:
        self._buffer += self._fresh
        self._fresh = b""

    def _take_head(self) -> bool:
        self.head = self._heads.take(self._buffer) if self._buffer else None
        if self.head is None:
            return False
        self._begin_body(self.head)
        return True

    def _begin_body(self, head: Head) -> None:
        self.head, self.in_body = head, True
        if head.length is None:
            self._chunks = ChunkedBody(self._limits.body_bytes)

    def _take_body(self, head: Head) -> bytes | None:
        if self._chunks is not None:
            return self._take_chunks(self._chunks)
        length = head.length or 0
        if len(self._buffer) < length:
            return None
        with memoryview(self._buffer) as view:
            body = bytes(view[:length])
        del self._buffer[:length]
        return body

    def _take_chunks(self, chunks: ChunkedBody) -> bytes | None:
        try:
            return bytes(chunks.body) if chunks.feed(self._buffer) else None
        except ChunkError as error:
            raise RefusedRequestError(400, str(error)) from error
        except BodyTooLargeError as error:
            raise RefusedRequestError(413, f"the request body is larger than {self._limits.body_bytes} bytes") from error
