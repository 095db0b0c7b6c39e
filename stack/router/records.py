"""Decision records on their way to control: a bounded buffer that counts what it had to drop."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import islice

from stack.control.decision import DecisionRecord
from stack.router.draft import Draft


@dataclass(frozen=True, slots=True)
class Batch:
    """Records for one report. `end` acknowledges them; `dropped` counts records lost since the last acknowledged one."""

    drafts: tuple[Draft, ...]
    end: int
    dropped: int

    @property
    def records(self) -> tuple[DecisionRecord, ...]:
        """All of them, whole."""
        return tuple(draft.whole() for draft in self.drafts)


@dataclass(slots=True)
class RecordBuffer:
    """Keeps the newest `kept` records until control has taken them; the oldest go first, counted."""

    kept: int
    dropped_total: int = 0
    _drafts: deque[Draft] = field(default_factory=deque)
    _first: int = 0
    _dropped: int = 0

    def add(self, draft: Draft) -> None:
        """Append one record; it is completed when it is taken."""
        self._drafts.append(draft)
        if len(self._drafts) > self.kept:
            self._drafts.popleft()
            self._first += 1
            self._dropped += 1
            self.dropped_total += 1

    def batch(self, limit: int) -> Batch:
        """Up to `limit` of the oldest records; they stay until acknowledged."""
        drafts = tuple(islice(self._drafts, limit))
        return Batch(drafts, self._first + len(drafts), self._dropped)

    def acknowledge(self, batch: Batch) -> None:
        """Control has `batch`: drop its records, and the count of lost ones it was told of."""
        while self._first < batch.end and self._drafts:
            self._drafts.popleft()
            self._first += 1
        self._dropped -= batch.dropped

    def __len__(self) -> int:
        return len(self._drafts)
