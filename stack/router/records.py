"""Decision records on their way to control: a bounded buffer that counts what it had to drop."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import islice

from stack.control.decision import DecisionRecord


@dataclass(frozen=True, slots=True)
class Batch:
    """Records for one report. `end` acknowledges them; `dropped` counts records lost since the last acknowledged one."""

    records: tuple[DecisionRecord, ...]
    end: int
    dropped: int


@dataclass(slots=True)
class RecordBuffer:
    """Keeps the newest `kept` records until control has taken them; the oldest go first, counted."""

    kept: int
    dropped_total: int = 0
    _records: deque[DecisionRecord] = field(default_factory=deque)
    _first: int = 0
    _dropped: int = 0

    def add(self, record: DecisionRecord) -> None:
        """Append one record."""
        self._records.append(record)
        if len(self._records) > self.kept:
            self._records.popleft()
            self._first += 1
            self._dropped += 1
            self.dropped_total += 1

    def batch(self, limit: int) -> Batch:
        """Up to `limit` of the oldest records; they stay until acknowledged."""
        records = tuple(islice(self._records, limit))
        return Batch(records, self._first + len(records), self._dropped)

    def acknowledge(self, batch: Batch) -> None:
        """Control has `batch`: drop its records, and the count of lost ones it was told of."""
        while self._first < batch.end and self._records:
            self._records.popleft()
            self._first += 1
        self._dropped -= batch.dropped

    def __len__(self) -> int:
        return len(self._records)
