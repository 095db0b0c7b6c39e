"""Alerts of one name and severity are one thing on the page, on however many engines it is so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stack.control.alert import NAME, SEVERITY, Alert, AlertState
from stack.control.alert_places import Page, place

_OF_THE_RULE = frozenset({NAME, SEVERITY, "requires"})


@dataclass(frozen=True, slots=True)
class Group:
    """`alerts` are not none, of one name and severity, the most urgent first."""

    alerts: tuple[Alert, ...]

    @property
    def name(self) -> str:
        return self.alerts[0].name

    @property
    def severity(self) -> str | None:
        return self.alerts[0].severity

    @property
    def state(self) -> AlertState:
        """The one that matters most."""
        return self.alerts[0].state

    @property
    def counts(self) -> str:
        """How many are in which state, in words."""
        counted = Counter(alert.state for alert in self.alerts)
        return ", ".join(f"{counted[state]} {state.value}" for state in AlertState if counted[state])

    @property
    def since(self) -> float | None:
        """When the first of them began, in Unix seconds; None where that is not known of one."""
        known = [alert.since for alert in self.alerts]
        return None if None in known else min(filter(None, known), default=None)

    @property
    def common(self) -> dict[str, str]:
        """The labels that all of them have alike, without those that every alert of the rule has."""
        first = self.alerts[0].labels.items()
        shared = [(name, value) for name, value in first if all(alert.labels.get(name) == value for alert in self.alerts)]
        return {name: value for name, value in shared if name not in _OF_THE_RULE}

    @property
    def shown_on(self) -> tuple[Page, dict[str, str]] | None:
        """The page that shows what they are about, narrowed to what they have in common; None where there is none."""
        found = place(self.name, self.common)
        return None if found is None else (found.page, found.filters)


def grouped(alerts: Iterable[Alert]) -> list[Group]:
    """By name and severity, in the order of the most urgent alert of each."""
    groups: dict[tuple[str, str | None], list[Alert]] = {}
    for alert in alerts:
        groups.setdefault((alert.name, alert.severity), []).append(alert)
    return [Group(tuple(found)) for found in groups.values()]


def telling(labels: dict[str, str], common: Sequence[str]) -> str:
    """What tells one alert of a group from the others."""
    apart = {name: value for name, value in labels.items() if name not in _OF_THE_RULE and name not in common}
    return ", ".join(f"{name}={value}" for name, value in sorted(apart.items()))
