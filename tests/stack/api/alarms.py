"""An Alertmanager and a Prometheus that are only told, for the API's tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from stack.control.alert import Alert, AlertState
from stack.control.alert_ports import AlertSourceError, SilenceRefusedError, UnknownSilenceError
from stack.control.silence import Matcher, Silence, SilenceState, ours


def alert(name: str, state: AlertState = AlertState.FIRING, severity: str = "warning", **labels: str) -> Alert:
    return Alert(
        name=name,
        state=state,
        labels={"alertname": name, "severity": severity} | labels,
        severity=severity,
        summary=f"{name} it is",
        description="This and that.",
        since=1_700_000_000.0,
    )


@dataclass
class FakeAlertmanager:
    """Knows what the test says; `away` makes every call fail, `refuses` every silence."""

    firing: list[Alert] = field(default_factory=list)
    kept: list[Silence] = field(default_factory=list)
    away: str | None = None
    refuses: str | None = None

    async def alerts(self, matchers: Sequence[Matcher]) -> tuple[Alert, ...]:
        self._check()
        return tuple(alert for alert in self.firing if all(_fits(matcher, alert) for matcher in matchers))

    async def silences(self) -> tuple[Silence, ...]:
        self._check()
        return tuple(self.kept)

    async def silence(self, matchers: Sequence[Matcher], starts: float, ends: float, by: str, comment: str) -> str:
        self._check()
        if self.refuses is not None:
            raise SilenceRefusedError(self.refuses)
        number = f"silence-{len(self.kept)}"
        made = tuple(matchers)
        self.kept.append(
            Silence(
                id=number,
                state=SilenceState.ACTIVE,
                matchers=made,
                by=by,
                comment=comment,
                starts=starts,
                ends=ends,
                ours=ours(made),
            )
        )
        return number

    async def expire(self, silence_id: str) -> None:
        self._check()
        kept = [silence for silence in self.kept if silence.id != silence_id]
        if len(kept) == len(self.kept):
            raise UnknownSilenceError("Alertmanager has no such silence")
        self.kept = kept

    def _check(self) -> None:
        if self.away is not None:
            raise AlertSourceError(self.away)


@dataclass
class FakePrometheus:
    """The same, of rules."""

    known: list[Alert] = field(default_factory=list)
    away: str | None = None

    async def alerts(self) -> tuple[Alert, ...]:
        if self.away is not None:
            raise AlertSourceError(self.away)
        return tuple(self.known)


def _fits(matcher: Matcher, alert: Alert) -> bool:
    value = alert.labels.get(matcher.name, "")
    found = re.fullmatch(matcher.value, value) is not None if matcher.is_regex else value == matcher.value
    return found is matcher.is_equal
