"""Changes as marks on a time axis: what somebody did stands beside what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dashboard import notices, reader, sources
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
        return [mark(record) for record in reversed(sources.audit()) if _shown(record, span)]
    return []


def mark(record: AuditRecord) -> Mark:
    """A change as a mark, in the reader's time."""
    text = f"generation {record.generation} by {record.actor}: {sentence(record.diff)}"
    return Mark(reader.moment(record.at), record.generation, text if len(text) <= _WORDS else f"{text[: _WORDS - 1]}…")


def _shown(record: AuditRecord, span: Span) -> bool:
    changed = record.outcome is Outcome.APPLIED and bool(record.diff)
    return changed and span.start.timestamp() <= record.at <= span.end.timestamp()
