"""Alerts as they are now: what Alertmanager and Prometheus each know of them, joined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

import msgspec

from stack.control.alert_places import SCOPE, Place
from stack.metrics.family import Label
from stack.metrics.promql import Where

OURS = "Kvdeck"  # every alert of this project's rules is named so
NAME, SEVERITY = "alertname", "severity"


class AlertState(StrEnum):
    """In the order they matter to whoever looks."""

    FIRING = "firing"
    PENDING = "pending"  # its condition holds, and not yet for as long as the rule asks
    SILENCED = "silenced"  # fires, and somebody said that nobody is to be told
    INHIBITED = "inhibited"  # fires, and follows from another one that does


_SEVERITIES = ("critical", "warning", "info")


class SilencedBy(msgspec.Struct, frozen=True, kw_only=True):
    """A silence that holds an alert back: whose, until when (Unix seconds) and why; null where only its id is known."""

    id: str
    by: str | None = None
    until: float | None = None
    comment: str | None = None


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """One alert. `since` is Unix seconds; what nobody told is null.

    `inhibited_by` are other alerts by name. `undelivered`: Prometheus says that it fires, and Alertmanager, which tells people,
    has not heard of it; null where that cannot be known. `runbook` is the name of its page, `place` the dashboard's page that
    shows it.
    """

    name: str
    state: AlertState
    labels: dict[str, str]
    severity: str | None = None
    summary: str | None = None
    description: str | None = None
    since: float | None = None
    silenced_by: tuple[SilencedBy, ...] = ()
    inhibited_by: tuple[str, ...] = ()
    undelivered: bool | None = None
    runbook: str | None = None
    place: Place | None = None

    def concerns(self, where: Where) -> bool:
        """Whether it is about what `where` narrows to, as the toolbar does: without a label it may be about any."""
        return all(self.labels.get(label, where[label]) == where[label] for label in map(Label, SCOPE) if label in where)

    @property
    def urgency(self) -> tuple[int, int, str, list[tuple[str, str]]]:
        """What to sort by: what matters most comes first."""
        severity = _SEVERITIES.index(self.severity) if self.severity in _SEVERITIES else len(_SEVERITIES)
        return list(AlertState).index(self.state), severity, self.name, sorted(self.labels.items())


def joined(told: Sequence[Alert] | None, rules: Sequence[Alert] | None) -> tuple[Alert, ...]:
    """What is `told` by Alertmanager and what Prometheus' `rules` say, each None where that could not be had; urgent ones first.

    Alertmanager knows silences, Prometheus knows what is pending. An alert that both know is Alertmanager's.
    """
    return tuple(sorted(_joined(told, rules), key=lambda alert: alert.urgency))


def _joined(told: Sequence[Alert] | None, rules: Sequence[Alert] | None) -> Iterator[Alert]:
    if told is None:
        yield from rules or ()
        return
    yield from (told if rules is None else [msgspec.structs.replace(alert, undelivered=False) for alert in told])
    known: dict[str, list[Alert]] = {}
    for alert in told:
        known.setdefault(alert.name, []).append(alert)
    for alert in rules or ():
        if alert.state is AlertState.PENDING:
            yield alert
        elif not any(_same(alert.labels, other.labels) for other in known.get(alert.name, ())):
            yield msgspec.structs.replace(alert, undelivered=True)


def _same(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether they agree on the labels that both have: on its way an alert may get labels, and lose some."""
    return all(other.get(name, value) == value for name, value in one.items())
