"""Replays recorded traffic: JSON lines in the format of the Mooncake traces, lengths and block ids but no text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from stack.traffic import prose
from stack.traffic.request import Request

BLOCK_TOKENS = 512


class TraceError(ValueError):
    """A line of the trace is not what it should be; the message names the line and the fault."""


class Line(msgspec.Struct, frozen=True):
    """One request: `timestamp` in milliseconds, lengths in tokens, ids of its blocks of 512 tokens (the last may be shorter)."""

    timestamp: float
    input_length: int
    output_length: int
    hash_ids: list[int]


def read(path: Path) -> Iterator[Line]:
    """The trace's requests in the file's order. Raises TraceError, OSError."""
    with path.open("rb") as file:
        for number, text in enumerate(file, start=1):
            if not text.strip():
                continue
            try:
                yield msgspec.json.decode(text, type=Line)
            except msgspec.DecodeError as error:
                raise TraceError(f"{path}, line {number}: {error}") from error


class Trace:
    """A recorded workload on another scale.

    `scale` stretches time: 2 sends the same requests over twice as long. `shrink` divides lengths, the shared blocks
    included, so that prompts still share what they shared. Requests that exceed `context` tokens even so are left
    out and counted in `too_long`.
    """

    def __init__(self, lines: Iterator[Line], *, scale: float, shrink: float, context: int, answer: int | None) -> None:
        self._lines = lines
        self._scale = scale
        self._shrink = shrink
        self._context = context
        self._answer = answer
        self.too_long = 0

    def __iter__(self) -> Iterator[tuple[float, Request]]:
        """(seconds after the start, request), in the trace's order."""
        first: float | None = None
        for line in self._lines:
            first = line.timestamp if first is None else first
            request = self._request(line)
            if request is None:
                self.too_long += 1
            else:
                yield (line.timestamp - first) / 1000 * self._scale, request

    def _request(self, line: Line) -> Request | None:
        tokens = self._shrunk(line.input_length)
        answer = min(self._shrunk(line.output_length), self._answer or line.output_length)
        if tokens + answer > self._context:
            return None
        return Request("trace", answer, prompt=self._prompt(line.hash_ids, tokens))

    def _prompt(self, hash_ids: list[int], tokens: int) -> str:
        block = self._shrunk(BLOCK_TOKENS)
        words = [word for hash_id in hash_ids for word in _words(hash_id, block)]
        return " ".join(words[:tokens])

    def _shrunk(self, tokens: int) -> int:
        return max(1, round(tokens / self._shrink))


@lru_cache(maxsize=4096)
def _words(hash_id: int, count: int) -> tuple[str, ...]:
    return tuple(prose.filler(f"block {hash_id}", count).split())
