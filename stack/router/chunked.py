"""A chunked request body, decoded as strictly as its grammar allows."""

from __future__ import annotations

import re

_MAX_LINE = 256  # a chunk's size and its extensions; a trailer line
_MAX_TRAILERS = 4096
_MAX_CHUNKS = 65_536  # a million one-byte chunks cost more than the request they carry
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})(?:;[\t\x20-\x7e\x80-\xff]*)?")
_TRAILER = re.compile(rb"[-!#$%&'*+.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*")


class ChunkError(ValueError):
    """The body is not well-formed chunks."""


class BodyTooLargeError(ValueError):
    """The body is larger than it may be."""


class ChunkedBody:
    """Takes chunks off the front of a buffer. `body` is whole once `feed` returned True; trailers are checked and dropped."""

    def __init__(self, limit: int) -> None:
        self.body = bytearray()
        self._limit = limit
        self._left = 0  # bytes of the present chunk still to come
        self._chunks = 0
        self._trailer_bytes = 0
        self._step = self._size

    def feed(self, buffer: bytearray) -> bool:
        """Use what `buffer` holds. True when the body ended. Raises ChunkError, BodyTooLargeError."""
        while True:
            progress = self._step(buffer)
            if progress is None:
                return True
            if not progress:
                return False

    def _size(self, buffer: bytearray) -> bool | None:
        line = _line(buffer)
        if line is None:
            return False
        match = _SIZE.fullmatch(line)
        self._chunks += 1
        if match is None or self._chunks > _MAX_CHUNKS:
            raise ChunkError("a chunk's size is malformed" if match is None else "too many chunks")
        self._left = int(match[1], 16)
        if len(self.body) + self._left > self._limit:
            raise BodyTooLargeError
        self._step = self._data if self._left else self._trailer
        return True

    def _data(self, buffer: bytearray) -> bool | None:
        if not buffer:
            return False
        with memoryview(buffer) as view:
            self.body += view[: self._left]
        taken = min(self._left, len(buffer))
        del buffer[:taken]
        self._left -= taken
        if not self._left:
            self._step = self._end_of_chunk
        return True

    def _end_of_chunk(self, buffer: bytearray) -> bool | None:
        if not b"\r\n".startswith(buffer[:2]):
            raise ChunkError("a chunk is longer than its size")
        if len(buffer) < 2:
            return False
        del buffer[:2]
        self._step = self._size
        return True

    def _trailer(self, buffer: bytearray) -> bool | None:
        line = _line(buffer)
        if line is None:
            return False
        if not line:
            return None
        self._trailer_bytes += len(line)
        if self._trailer_bytes > _MAX_TRAILERS or not _TRAILER.fullmatch(line):
            raise ChunkError("the trailers are malformed")
        return True


def _line(buffer: bytearray) -> bytes | None:
    """One line without its CR LF, None when it is not whole yet."""
    end = buffer.find(b"\r\n", 0, _MAX_LINE)
    if end < 0:
        if len(buffer) >= _MAX_LINE or b"\n" in buffer:
            raise ChunkError("a line between chunks is malformed")
        return None
    line = bytes(buffer[:end])
    del buffer[: end + 2]
    return line
