"""Changes as marks on a time axis: what somebody did stands beside what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from dashboard import changes, notices
from dashboard.charts import Span
from dashboard.scope import Scope
from dashboard.steering.review import sentence
from stack.api.history_schema import GenerationView
from stack.control.audit import AuditRecord, Outcome

_WORDS = 160  # characters of a mark's text


@dataclass(frozen=True, slots=True)
class Mark:
    """One change: when, the generation it made, who and what in one line."""

    at: datetime
    generation: int
    words: str


def marks(scope: Scope, model: str | None = None) -> list[Mark]:
    """The changes within what is looked at, oldest first; of the fleet and of the model that is picked, or of `model`.

    None where control does not tell, which the page says otherwise.
    """
    span = scope.span
    with notices.quiet():
        found = changes.since(span.start.timestamp())
        records = [each.record for each in found.generations if each.record is not None]
        first = [] if found.complete else [_first(found.generations[-1], span)]
        return [*first, *within(records, span, model or scope.model_name)]
    return []


def within(records: Sequence[AuditRecord], span: Span, model: str | None = None) -> list[Mark]:
    """Those of `records` (newest first) that changed the fleet or `model` (None: any) within `span`, oldest first, in its zone."""
    told = (_mark(record, span.end.tzinfo, model) for record in reversed(records) if shown(record, span))
    return [mark for mark in told if mark is not None]


def _mark(record: AuditRecord, zone: tzinfo | None, model: str | None) -> Mark | None:
    """What it changed of the fleet and of `model`; None where that is nothing."""
    own = tuple(change for change in record.diff if model is None or change.model in (None, model))
    text = f"generation {record.generation} by {record.actor}: {sentence(own)}"
    words = text if len(text) <= _WORDS else f"{text[: _WORDS - 1]}…"
    return Mark(datetime.fromtimestamp(record.at, zone), record.generation, words) if own else None


def _first(oldest: GenerationView, span: Span) -> Mark:
    """Where marks begin that could not all be had."""
    text = f"changes before generation {oldest.generation} are not marked: more than {changes.MOST:,} followed"
    return Mark(min(datetime.fromtimestamp(oldest.at, span.end.tzinfo), span.end), oldest.generation, text)


def shown(record: AuditRecord, span: Span) -> bool:
    """Whether it changed something within `span`."""
    changed = record.outcome is Outcome.APPLIED and bool(record.diff)
    return changed and span.start.timestamp() <= record.at <= span.end.timestamp()
