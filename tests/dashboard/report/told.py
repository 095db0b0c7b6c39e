"""A report of the last half hour, and what a Prometheus answers to it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from dashboard.charts import Span
from dashboard.report.subject import Subject
from tests.dashboard.samples import COURSE, SERVED, Told, answered, of_model

_END = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
SUBJECT = Subject(Span(_END - timedelta(minutes=30), _END), {}, current=True)
LABELS = {"alertname": "KvdeckEngineDown", "severity": "critical", "namespace": "llm"}
FIRED: Told = {"fired": [(LABELS, 0.5)], "versions": [({"version": "0.33.0", "emulated": "true"}, 3.0)]}
SLY = "</script><script>alert(1)</script>"


def prometheus_of(*several: Told, subject: Subject = SUBJECT) -> Told:
    return answered({**subject.questions.now, **subject.questions.over, **subject.more}, *several)


HALF_AN_HOUR = prometheus_of(SERVED, COURSE, FIRED)
TWO_MODELS = prometheus_of(SERVED, COURSE, FIRED, of_model(COURSE, SLY), of_model({"requests": SERVED["requests"]}, SLY))
