"""What a report tells, read from Prometheus and, where one is given, from control."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dashboard import asking, bundles, marks
from dashboard.asking import Answers, Now, Over
from dashboard.charts import Mark
from dashboard.desk import Desk
from dashboard.figures import Figure
from dashboard.overall import course, firing, tables
from dashboard.overall.firing import Alarms
from dashboard.overall.looking import Seen, seen
from dashboard.overall.tables import Table
from dashboard.overall.verdict import Verdict, verdict
from dashboard.plots import Plot
from dashboard.promapi import PrometheusUnavailableError
from dashboard.report import happened
from dashboard.report.subject import Subject
from stack.api.alert_schema import AlertsView
from stack.api.answers import ControlError
from stack.api.client import ControlClient
from stack.api.schema import StateView
from stack.control.audit import AuditRecord
from stack.metrics.family import Label


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is told. `unknown` are sentences: what nobody told, and why. `emulated` is None where nobody tells."""

    subject: Subject
    verdict: Verdict
    figures: Sequence[Figure]
    tables: Sequence[Table]
    plots: Sequence[Plot]
    unknown: Sequence[str]
    emulated: bool | None


@dataclass(frozen=True, slots=True)
class _Told:
    """What control says; None for what it does not."""

    state: StateView | None = None
    alerts: AlertsView | None = None
    audit: Sequence[AuditRecord] | None = None
    failed: tuple[str, ...] = ()


def read(desk: Desk, control: ControlClient | None, subject: Subject) -> Report:
    """Ask everybody. Raises PrometheusUnavailableError where Prometheus answers nothing at all."""
    questions, more = subject.questions, subject.more
    now = {**questions.now, **more}
    answers = bundles.apart(asking.put(desk, bundles.questions(now, Now), subject.span), now)
    over, late = _over(desk, subject)
    told = _control(control, subject)
    found, alarms = seen(answers, questions), firing.told(answers, told.alerts, subject.where)
    changes = [] if told.audit is None else marks.within(told.audit, subject.span, subject.model)
    shown = [*found.tables(questions), *happened.fired(answers, subject), *happened.audit(told.audit, subject)]
    return Report(
        subject=subject,
        verdict=verdict(told.state, alarms, found.pools, steered=control is not None and subject.current),
        figures=found.figures(questions),
        tables=shown,
        plots=[] if over is None else _plots(over, subject, changes),
        unknown=list(dict.fromkeys([*found.failed, *late, *told.failed, *_unknown(found, shown, alarms, told, control)])),
        emulated=_emulated(answers),
    )


def _over(desk: Desk, subject: Subject) -> tuple[Answers | None, list[str]]:
    try:
        over = subject.questions.over
        return bundles.apart(asking.put(desk, bundles.questions(over, Over), subject.span), over), []
    except PrometheusUnavailableError as error:
        return None, [str(error)]


def _plots(over: Answers, subject: Subject, changes: Sequence[Mark]) -> list[Plot]:
    queries, span = subject.questions.queries, subject.span
    return [course.waterfall(over, queries, span, changes), *course.course(over, queries, span, changes)]


def _control(control: ControlClient | None, subject: Subject) -> _Told:
    if control is None:
        return _Told()
    try:
        state, alerts = (control.state(), _alerts(control)) if subject.current else (None, None)
        return _Told(state, alerts, list(happened.records(control, subject)))
    except ControlError as error:
        return _Told(failed=(f"Of control nothing is known: {error}",))


def _alerts(control: ControlClient) -> AlertsView | None:
    try:
        return control.alerts()
    except ControlError:
        return None  # Prometheus tells of them as well


def _unknown(found: Seen, shown: Sequence[Table], alarms: Alarms, told: _Told, control: ControlClient | None) -> Iterator[str]:
    if alarms.doubt:
        yield f"Whether alerts fire: {alarms.doubt}"
    if not found.fleets:
        yield "Everything about models: Prometheus has no series of any in this time"
    elif not any(each.goals for each in found.named):
        yield "Objectives and goodput: Prometheus records nothing of the rules in alerts/rules/objectives"
    for cell in tables.unknown(shown):
        yield f"{cell}, of some rows: no series tells it"
    if control is None:
        yield "Who changed what: no control was given (--control-url)"
    elif told.audit is not None and told.state is None:
        yield "Engines' states as control saw them: it tells of now alone"


def _emulated(answers: Answers) -> bool | None:
    try:
        versions = answers.samples("versions")
    except PrometheusUnavailableError:
        return None
    return any(sample.labels.get(Label.EMULATED) == "true" for sample in versions) if versions else None
