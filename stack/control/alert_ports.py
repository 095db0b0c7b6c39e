"""What control needs of those that know alerts: Alertmanager, and the Prometheus that evaluates the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from stack.control.alert import Alert
from stack.control.silence import Matcher, Silence


class AlertSourceError(RuntimeError):
    """A source of alerts did not answer, or not as it should; the message is one line for an operator."""


class NoRulesError(AlertSourceError):
    """It evaluates none of this project's rules: that nothing fires says nothing."""


class SilenceRefusedError(AlertSourceError):
    """Alertmanager takes no such silence; the message is its own."""


class UnknownSilenceError(AlertSourceError):
    """Alertmanager has no silence of this id."""


class Alerting(Protocol):
    """Alertmanager. Deadlines are its own; raises AlertSourceError."""

    async def alerts(self, matchers: Sequence[Matcher]) -> tuple[Alert, ...]:
        """Those that fire and that all of `matchers` fit, held back or not."""
        ...

    async def silences(self) -> tuple[Silence, ...]:
        """Those that are not over."""
        ...

    async def silence(self, matchers: Sequence[Matcher], starts: float, ends: float, by: str, comment: str) -> str:
        """Hold alerts back from `starts` to `ends` (Unix seconds); the id. Raises SilenceRefusedError."""
        ...

    async def expire(self, silence_id: str) -> None:
        """End a silence now. Raises UnknownSilenceError."""
        ...


class RuleAlerts(Protocol):
    """Prometheus, as far as it evaluates rules."""

    async def alerts(self) -> tuple[Alert, ...]:
        """Those that fire or are pending. Raises AlertSourceError, NoRulesError."""
        ...
