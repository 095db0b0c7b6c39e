"""Requests that are over, on their way to control as records: a bounded buffer that counts what it had to drop."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import NamedTuple

from stack.router.errand import Errand

# What an errand holds at least once it is over, and what each piece of its prompt and each of its candidates adds.
BYTES, PIECE_BYTES, CANDIDATE_BYTES = 2048, 44, 64


class Batch(NamedTuple):
    """Requests for one report, the first of them number `first` of all there were, and how many got lost before them.

    `dropped` counts those since the last acknowledged batch.
    """

    errands: tuple[Errand, ...]
    first: int
    dropped: int

    @property
    def end(self) -> int:
        """The number of what comes next."""
        return self.first + len(self.errands)


class RecordBuffer:
    """Keeps the newest `kept` requests in `most_bytes` until control has their records; the oldest go first, counted."""

    def __init__(self, kept: int, most_bytes: int = 64 << 20) -> None:
        self._kept = kept
        self._most_bytes = most_bytes
        self._errands: deque[Errand] = deque()
        self._bytes = 0
        self._first = 0
        self._dropped = 0
        self.dropped_total = 0

    def add(self, errand: Errand) -> None:
        """Append one that is over, without what no record tells; its record is made when it is taken."""
        errand.let_go()
        self._errands.append(errand)
        self._bytes += _bytes(errand)
        if len(self._errands) > self._kept or self._bytes > self._most_bytes:
            self._drop()

    def batch(self, limit: int) -> Batch:
        """Up to `limit` of the oldest; they stay until acknowledged."""
        errands = tuple(islice(self._errands, limit))
        return Batch(errands, self._first, self._dropped)

    def acknowledge(self, batch: Batch) -> None:
        """Control has `batch`: drop its requests, and the count of lost ones it was told of, or that came to it with it."""
        self._dropped -= batch.dropped + min(self._first, batch.end) - batch.first
        while self._first < batch.end:
            self._pop()

    def __len__(self) -> int:
        return len(self._errands)

    def _drop(self) -> None:
        while self._errands and (len(self._errands) > self._kept or self._bytes > self._most_bytes):
            self._pop()
            self._dropped += 1
            self.dropped_total += 1

    def _pop(self) -> None:
        self._bytes -= _bytes(self._errands.popleft())
        self._first += 1


def _bytes(errand: Errand) -> int:
    candidates = len(errand.candidates.decode) + len(errand.candidates.prefill)
    return BYTES + PIECE_BYTES * len(errand.route.prefix_hashes) + CANDIDATE_BYTES * candidates
