"""Rules at a quicker pace, so that a drill need not take the minutes that they wait in earnest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stack.metrics.duration import seconds, windows, with_durations

# Six scrapes of the local stack: a rate over less is one of chance. What is shorter stays as it is.
FLOOR_SECONDS = 30.0

RuleFile = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pace:
    """Durations divided by `factor`, but none to less than FLOOR_SECONDS. 1 leaves all as they are."""

    factor: float

    @property
    def quick(self) -> bool:
        """Rules are changed at all."""
        return self.factor > 1

    def duration(self, told: str) -> str:
        """One of Prometheus' durations, quicker."""
        took = seconds(told)
        return told if took <= FLOOR_SECONDS else f"{max(FLOOR_SECONDS, took / self.factor):.0f}s"

    def file(self, rules: RuleFile) -> RuleFile:
        """A rule file with every window, offset and `for` at this pace. What is counted or compared with stays."""
        return {"groups": [{**group, "rules": [self._rule(rule) for rule in group["rules"]]} for group in rules["groups"]]}

    def _rule(self, rule: Mapping[str, Any]) -> dict[str, Any]:
        changed = {**rule, "expr": with_durations(rule["expr"], self.duration)}
        return changed | ({"for": self.duration(rule["for"])} if "for" in rule else {})


@dataclass(frozen=True, slots=True)
class Patience:
    """How long alerts take by the rules they are of."""

    rules: Sequence[RuleFile]

    def names(self) -> frozenset[str]:
        """Every alert there is."""
        return frozenset(rule["alert"] for rule in self._alerting())

    def waits(self, alert: str) -> float:
        """The longest `for` of the alert's rules, in seconds."""
        return max(seconds(rule.get("for", "0s")) for rule in self._alerting() if rule["alert"] == alert)

    def remembers(self, alert: str) -> float:
        """How long after the cause is gone the alert's expressions may still see it, in seconds; 0 for an alert of others."""
        found = [window for rule in self._alerting() if rule["alert"] == alert for window in self._windows(rule["expr"])]
        return max(map(seconds, found), default=0.0)

    def _windows(self, query: str) -> Iterator[str]:
        """Of the query, and of the recording rules that it names."""
        yield from windows(query)
        for rule in self._all():
            if rule.get("record", "\0") in query:
                yield from windows(rule["expr"])

    def _alerting(self) -> Iterator[Mapping[str, Any]]:
        return (rule for rule in self._all() if "alert" in rule)

    def _all(self) -> Iterator[Mapping[str, Any]]:
        return (rule for file in self.rules for group in file["groups"] for rule in group["rules"])
