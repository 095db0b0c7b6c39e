"""Alerts and silences as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from stack.api.alert_schema import AlertsView, SilencesView, SilenceView
from stack.api.table import BAD, DOUBTFUL, GOOD, clock, table
from stack.control.alert import NAME, SEVERITY, Alert
from stack.control.silence import Silence

_COLUMNS = ("state", "severity", "since", "alert", "where", "what")
_TOLD = frozenset({NAME, SEVERITY, "requires"})  # of every alert: the other labels tell alerts of one name apart


def alerts(view: AlertsView) -> Iterator[RenderableType]:
    """`kvdeck ctl alerts`."""
    if view.alerts:
        yield table("", _COLUMNS, map(_alert, view.alerts))
    elif view.alertmanager.answered and view.prometheus.answered:
        yield Text("no alert fires and none is pending", GOOD)
    if not view.alertmanager.answered:
        yield Text(f"what is silenced or inhibited is unknown: {view.alertmanager.reason}", BAD)
    if not view.prometheus.answered:
        yield Text(f"what is pending is unknown: {view.prometheus.reason}", BAD)


def silences(view: SilencesView) -> Iterator[RenderableType]:
    """`kvdeck ctl silence list`."""
    if not view.silences:
        yield Text("nothing is silenced")
        return
    yield table("", ("id", "silences", "by", "until", "why", ""), map(_silence, view.silences))


def silence(view: SilenceView) -> Iterator[RenderableType]:
    """`kvdeck ctl silence add`."""
    named = view.silence.words
    if view.alerts:
        yield table(f"fires now and fits {named}", _COLUMNS, map(_alert, view.alerts))
    else:
        yield Text(f"nothing that fires now fits {named}", DOUBTFUL)
    until = f"until {clock(view.silence.ends)}"
    yield Text(f"dry run: nothing is silenced; it would be {until}" if view.dry_run else f"silenced {until}: {view.silence.id}")


def where(labels: dict[str, str]) -> str:
    """The labels that tell alerts of one name apart."""
    return ", ".join(f"{name}={value}" for name, value in sorted(labels.items()) if name not in _TOLD)


def _alert(alert: Alert) -> Sequence[str]:
    since = "unknown" if alert.since is None else clock(alert.since)
    return alert.state.value, alert.severity or "-", since, alert.name, where(alert.labels), "\n".join(_what(alert))


def _what(alert: Alert) -> Iterator[str]:
    yield alert.summary or "no summary"
    for held in alert.silenced_by:
        until = "" if held.until is None else f" until {clock(held.until)}"
        yield f"silenced by {held.by or 'unknown'}{until}: {held.comment or held.id}"
    if alert.inhibited_by:
        yield f"follows from {', '.join(alert.inhibited_by)}"
    if alert.undelivered:
        yield "Alertmanager has not heard of it: nobody is told"


def _silence(one: Silence) -> Sequence[str]:
    return one.id, one.words, one.by, clock(one.ends), one.comment, "" if one.ours else "may hold back others' alerts, too"
