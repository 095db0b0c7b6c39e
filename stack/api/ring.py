"""The latest routing decisions, as many as fit."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from stack.control.decision import DecisionRecord
from stack.control.link import RouterReport

CAPACITY = 5_000


@dataclass(frozen=True, slots=True)
class Filter:
    """What decisions to show; None is any. `engine` matches either leg."""

    model: str | None = None
    path: str | None = None
    strategy: str | None = None
    engine: str | None = None

    def matches(self, record: DecisionRecord) -> bool:
        return (
            self.model in (None, record.model)
            and self.path in (None, record.path)
            and self.strategy in (None, record.decode.strategy, record.prefill and record.prefill.strategy)
            and self.engine in (None, record.engine, record.prefill_engine)
        )


class DecisionRing:
    """A bounded memory of decisions; `dropped` counts those that the routers could not deliver."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._records: deque[DecisionRecord] = deque(maxlen=capacity)
        self.dropped = 0

    def take(self, report: RouterReport) -> None:
        self._records.extend(report.decisions)
        self.dropped += report.dropped

    def newest(self, limit: int, wanted: Filter) -> tuple[DecisionRecord, ...]:
        """At most `limit` matching records, newest first."""
        return tuple(islice(self._matching(wanted), limit))

    def _matching(self, wanted: Filter) -> Iterator[DecisionRecord]:
        return (record for record in reversed(self._records) if wanted.matches(record))
