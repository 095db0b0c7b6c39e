"""What is known of alerts: by control, which asks Alertmanager and Prometheus, else by Prometheus' own series of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from dashboard import asking, notices, reader, sources
from dashboard.asking import Now
from dashboard.promapi import Sample
from dashboard.scope import Scope
from stack.api.alert_schema import AlertsView
from stack.api.answers import ControlAnswerError, ControlError, ControlUnreachableError
from stack.control.alert import NAME, SEVERITY, Alert, AlertState
from stack.control.alert_places import place
from stack.metrics import alert_queries

_UNCONFIGURED = "unconfigured"


@dataclass(frozen=True, slots=True)
class Known:
    """Alerts as they are known, the most urgent first; `at` is when, in Unix seconds.

    `doubts` say what is unknown of them and why: without `silences` what is held back is, without `pending` what may fire soon.
    `by_control`: with summaries and runbooks.
    """

    alerts: tuple[Alert, ...]
    at: float
    by_control: bool
    silences: bool
    pending: bool
    doubts: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """That nothing is among them says that nothing fires and nothing is pending."""
        return not self.doubts


def known(until: datetime | None = None) -> Known:
    """By control where there is one that can tell; those of a moment that is past, `until`, by Prometheus alone.

    Raises PrometheusUnavailableError and SettingsError where nobody can tell.
    """
    if until is not None:
        return _read("control tells what is so now", until)
    why = "no control is configured"
    try:
        return _told(sources.alerts())
    except sources.NoControlError:
        pass
    except ControlUnreachableError as error:
        why = notices.unreachable(error)
    except ControlAnswerError as error:
        why = error.message if error.code == _UNCONFIGURED else f"Refused: {error.message}"
    except ControlError as error:
        why = str(error)
    return _read(why)


def within(alerts: Iterable[Alert], scope: Scope) -> list[Alert]:
    """Those that the toolbar's choice does not leave out: what an alert does not say concerns them all."""
    return [alert for alert in alerts if alert.concerns(scope.picked)]


def _told(view: AlertsView) -> Known:
    doubts = []
    if not view.alertmanager.answered:
        doubts.append(f"What is silenced or inhibited is unknown: {view.alertmanager.reason}.")
    if not view.prometheus.answered:
        doubts.append(f"What is pending is unknown: {view.prometheus.reason}.")
    return Known(view.alerts, view.at, True, view.alertmanager.answered, view.prometheus.answered, tuple(doubts))


def _read(why: str, until: datetime | None = None) -> Known:
    query = alert_queries.active()
    answers = asking.ask({"alerts": Now(query)}, reader.span(timedelta(minutes=1), until))
    doubt = f"Summaries, runbooks, and what is silenced or inhibited are unknown, since only Prometheus tells: {why}".rstrip(".")
    return Known(
        of_prometheus(answers.samples("alerts")),
        answers.at.timestamp(),
        by_control=False,
        silences=False,
        pending=True,
        doubts=(f"{doubt}.",),
    )


def of_prometheus(samples: Iterable[Sample]) -> tuple[Alert, ...]:
    """What Prometheus' own series of alerts say, as `alert_queries.active` asks for them, the most urgent first."""
    return tuple(sorted(map(_alert, samples), key=lambda alert: alert.urgency))


def _alert(sample: Sample) -> Alert:
    labels = {name: value for name, value in sample.labels.items() if name not in ("__name__", "alertstate")}
    name = labels.get(NAME, "")
    return Alert(
        name=name,
        state=AlertState.PENDING if sample.labels.get("alertstate") == "pending" else AlertState.FIRING,
        labels=labels,
        severity=labels.get(SEVERITY),
        since=sample.value or None,
        place=place(name, labels),
    )
