"""Which alerts there are, from control, which knows silences, or from Prometheus' own series of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.alarms.known import of_prometheus
from dashboard.asking import Answers
from dashboard.promapi import PrometheusUnavailableError
from stack.api.alert_schema import AlertsView
from stack.control.alert import Alert, AlertState
from stack.metrics.promql import Where

CRITICAL, WARNING, INFO = "critical", "warning", "info"
_AWAY = "Prometheus does not answer"


@dataclass(frozen=True, slots=True)
class Alarms:
    """The alerts of this project's rules. `doubt` says why there may be more than these, None where there are not."""

    alerts: tuple[Alert, ...] = ()
    doubt: str | None = None

    def firing(self, *severities: str | None) -> list[str]:
        """Names of those that fire, each once, in the order they are told."""
        return list(
            dict.fromkeys(alert.name for alert in self.alerts if alert.state is AlertState.FIRING and _of(alert) in severities)
        )

    @property
    def held_back(self) -> str:
        """How many are not told to people, and how many may fire soon, in words; empty for none."""
        counts = Counter(alert.state for alert in self.alerts)
        states = (AlertState.SILENCED, AlertState.INHIBITED, AlertState.PENDING)
        return ", ".join(f"{counts[state]} {state}" for state in states if counts[state])


def told(answers: Answers | None, view: AlertsView | None, where: Where) -> Alarms:
    """What control says, else what Prometheus does, of the fleets that are looked at."""
    if view is not None and (view.prometheus.answered or view.alertmanager.answered):
        return Alarms(tuple(alert for alert in view.alerts if alert.concerns(where)), _rules(answers))
    if answers is None:
        return Alarms(doubt=_AWAY)
    try:
        found = of_prometheus(answers.samples("firing"))
    except PrometheusUnavailableError as error:
        return Alarms(doubt=str(error))
    return Alarms(tuple(alert for alert in found if alert.concerns(where)), _rules(answers))


def _rules(answers: Answers | None) -> str | None:
    """Where no rule is evaluated none can fire: that is not well. No answer does not say that there is none."""
    if answers is None:
        return _AWAY
    try:
        loaded = answers.samples("rules")
    except PrometheusUnavailableError as error:
        return str(error)
    return None if loaded else "this Prometheus records none of kvdeck's rules"


def _of(alert: Alert) -> str:
    """Whose severity nobody told is taken for serious."""
    return alert.severity if alert.severity in (CRITICAL, INFO) else WARNING


def names(several: Sequence[str], most: int = 3) -> str:
    """Some of them, and how many more."""
    more = len(several) - most
    return ", ".join(several[:most]) + (f" and {more} more" if more > 0 else "")
