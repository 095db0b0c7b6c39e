"""What happened in the time of a report: alerts that fired, and what people and control changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from dashboard.amounts import PERCENT, hundredths
from dashboard.asking import Answers
from dashboard.overall.tables import Cell, Column, Table
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.report.subject import Subject
from dashboard.sites import Site
from dashboard.steering.ledger import COLUMNS, words
from stack.api.client import ControlClient
from stack.control.alert import NAME, SEVERITY
from stack.control.audit import AuditRecord
from stack.metrics.family import Label

_PAGE, _PAGES = 1000, 20
_FIRED = (
    Column("alert", "By its name in alerts/README.md."),
    Column("severity", "As its rule says."),
    Column("of", "Whom it is about, as far as its labels say."),
    Column("fired", "How much of this time.", PERCENT),
    Column("minutes", "The same in minutes.", "%.0f"),
)
_AUDIT = (Column("at", "When."), *(Column(name, COLUMNS[name]["help"]) for name in COLUMNS if name != "at"))


def fired(answers: Answers, subject: Subject) -> Iterator[Table]:
    """For how long each alert fired, the longest first; no table where nobody tells."""
    try:
        samples = sorted(answers.samples("fired"), key=lambda sample: -sample.value)
    except PrometheusUnavailableError:
        return
    rows = [_alert(sample, subject) for sample in samples]
    yield Table("Alerts that fired", "In this time, silenced ones among them.", _FIRED, rows)


def audit(records: Sequence[AuditRecord] | None, subject: Subject) -> Iterator[Table]:
    """Who changed what; no table where nobody tells."""
    if records is not None:
        rows = [_record(record, subject) for record in records]
        yield Table("Changes and steps", "Control's audit log of this time, newest first.", _AUDIT, rows)


def records(control: ControlClient, subject: Subject) -> Iterator[AuditRecord]:
    """Those within the time, newest first. Raises ControlError."""
    start, end, before = subject.span.start.timestamp(), subject.span.end.timestamp(), None
    for _ in range(_PAGES):
        page = control.audit(limit=_PAGE, before=before).records
        yield from (record for record in page if start <= record.at <= end)
        if len(page) < _PAGE or page[-1].at < start:
            return
        before = page[-1].sequence


def _alert(sample: Sample, subject: Subject) -> list[Cell]:
    about = Site.of(sample.labels).named(sample.labels.get(Label.MODEL_NAME, ""))
    name, severity = sample.labels.get(NAME, ""), sample.labels.get(SEVERITY, "")
    return [name, severity, about, hundredths(sample.value), sample.value * subject.seconds / 60]


def _record(record: AuditRecord, subject: Subject) -> list[Cell]:
    at = f"{datetime.fromtimestamp(record.at, subject.span.end.tzinfo):%Y-%m-%d %H:%M:%S}"
    return [at, *(words(record)[column.title] for column in _AUDIT[1:])]
