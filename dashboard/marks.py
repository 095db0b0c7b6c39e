"""Changes as marks on a time axis: what somebody did stands beside what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from dashboard import notices, sources
from dashboard.charts import Span
from dashboard.steering.review import sentence
from stack.control.audit import AuditRecord, Outcome

_WORDS = 160  # characters of a mark's text


@dataclass(frozen=True, slots=True)
class Mark:
    """One change: when, the generation it made, who and what in one line."""

    at: datetime
    generation: int
    words: str


def marks(span: Span) -> list[Mark]:
    """The changes within `span`, oldest first; none where control does not tell, which the page says otherwise."""
    with notices.quiet():
        return within(sources.audit(), span)
    return []


def within(records: Sequence[AuditRecord], span: Span) -> list[Mark]:
    """Those of `records` (newest first) that are changes within `span`, oldest first, in its zone."""
    return [mark(record, span.end.tzinfo) for record in reversed(records) if shown(record, span)]


def mark(record: AuditRecord, zone: tzinfo | None) -> Mark:
    """A change as a mark."""
    text = f"generation {record.generation} by {record.actor}: {sentence(record.diff)}"
    return Mark(
        datetime.fromtimestamp(record.at, zone), record.generation, text if len(text) <= _WORDS else f"{text[: _WORDS - 1]}…"
    )


def shown(record: AuditRecord, span: Span) -> bool:
    """Whether it changed something within `span`."""
    changed = record.outcome is Outcome.APPLIED and bool(record.diff)
    return changed and span.start.timestamp() <= record.at <= span.end.timestamp()
