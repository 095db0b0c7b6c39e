"""The headers of one head: names in lower case with their values, and as the lines in which they go on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NewType

HeaderLines = NewType("HeaderLines", bytes)
"""Whole header lines, each with its CR LF, in which nobody has written a line of their own: see `header_lines`."""


class HeaderFields:
    """Headers as they were read. They do not change, so heads that say the same share one.

    `onward` is for whoever makes the lines of them that travel on: those, and the credentials that they were made with.
    """

    __slots__ = ("_first", "onward", "pairs")

    def __init__(self, pairs: tuple[tuple[bytes, bytes], ...]) -> None:
        self.pairs = pairs
        self._first = dict(reversed(pairs))
        self.onward: tuple[bytes | None, HeaderLines] | None = None

    def __len__(self) -> int:
        return len(self.pairs)

    def first(self, name: bytes) -> bytes | None:
        """The first value of `name` (lower case), None when there is none."""
        return self._first.get(name)

    def has_none(self, names: frozenset[bytes]) -> bool:
        """There is no header of any of `names` (lower case)."""
        return names.isdisjoint(self._first)

    def all(self, name: bytes) -> tuple[bytes, ...]:
        """Every value of `name` (lower case), in order."""
        if name not in self._first:
            return ()
        if len(self._first) == len(self.pairs):
            return (self._first[name],)
        return tuple([value for key, value in self.pairs if key == name])


NO_LINES = HeaderLines(b"")


def header_lines(pairs: Iterable[tuple[bytes, bytes]]) -> HeaderLines:
    """`pairs` as lines. Raises ValueError on a line break in one: its author would write headers, or messages, of their own."""
    lines = [b"%b: %b\r\n" % pair for pair in pairs]
    block = b"".join(lines)
    if block.count(b"\n") != len(lines) or block.count(b"\r") != len(lines):
        raise ValueError("a header holds a line break")
    return HeaderLines(block)
