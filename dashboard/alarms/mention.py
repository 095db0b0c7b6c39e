"""What other pages say of alerts: one that is silenced or follows from another fires, and nobody is told of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stack.control.alert import Alert, AlertState
from stack.metrics.family import Label

_STANDS = {
    AlertState.FIRING: "fires",
    AlertState.PENDING: "is pending: it fires once this has lasted",
    AlertState.SILENCED: "fires, and is silenced",
    AlertState.INHIBITED: "fires, and is held back since another one does",
}
_ABOUT = (Label.REPLICA, Label.BACKEND, Label.TARGET)


def of_rule(name: str, alerts: Iterable[Alert]) -> str:
    """How the alert of this name stands, as a sentence; of several the most urgent."""
    states = sorted((alert.state for alert in alerts if alert.name == name), key=list(AlertState).index)
    return f"{name} {_STANDS[states[0]] if states else 'does not fire'}."


def of_engine(name: str, alerts: Iterable[Alert]) -> Mapping[AlertState, list[str]]:
    """The names of the alerts that name this engine, by state, the state that matters most first."""
    own = [alert for alert in alerts if name in (alert.labels.get(label) for label in _ABOUT)]
    found = {state: sorted({alert.name for alert in own if alert.state is state}) for state in AlertState}
    return {state: names for state, names in found.items() if names}
