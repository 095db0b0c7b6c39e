"""What was desired at each generation, put together from nothing but the audit log's differences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from stack.control.audit import AuditRecord, Outcome
from stack.control.diff import Value, leaves
from stack.control.state import Desired

Leaves = Mapping[str, Value]


class Documents:
    """`desired` of generation `first`, and what the records made of it since; any order, any number of times."""

    def __init__(self, first: int, desired: Desired) -> None:
        self._last = first
        self._known: dict[int, Leaves] = {first: MappingProxyType(leaves(desired))}
        self._changes: dict[int, AuditRecord] = {}

    def add(self, records: Iterable[AuditRecord]) -> None:
        """Take what the audit log says."""
        for record in records:
            if record.outcome is Outcome.APPLIED and record.diff and record.generation > self._last:
                self._changes[record.generation] = record
        while self._last + 1 in self._changes:
            record = self._changes.pop(self._last + 1)
            after = dict(self._known[self._last])
            for change in record.diff:
                after[change.field] = change.after
            self._last += 1
            self._known[self._last] = MappingProxyType(after)

    @property
    def last(self) -> int:
        """The newest generation that follows from the first without a hole."""
        return self._last

    @property
    def beyond(self) -> tuple[int, ...]:
        """Generations that the log tells of and that do not follow: something before them is missing."""
        return tuple(sorted(self._changes))

    def of(self, generation: int) -> Leaves | None:
        """The fields of a generation by their paths; None when the log does not tell of it."""
        return self._known.get(generation)

    def explain(self, desired: Desired) -> bool:
        """Whether the log leads to `desired`."""
        return _told(self._known[self._last]) == _told(leaves(desired))


def _told(fields: Leaves) -> Leaves:
    """A field that is gone and one that is null are told alike."""
    return {path: value for path, value in fields.items() if value is not None}
