"""Answers about alerts and silences, for both sides."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from stack.control.alert import Alert
from stack.control.silence import Silence


class SourceState(StrEnum):
    """Whether what control asks for alerts could be asked."""

    OK = "ok"
    UNCONFIGURED = "unconfigured"
    UNREACHABLE = "unreachable"
    NO_RULES = "no_rules"  # it answers, and evaluates none of kvdeck's


class SourceView(msgspec.Struct, frozen=True, kw_only=True):
    """How it went with one source; `reason` says why it could not be asked, and what would let it be."""

    state: SourceState
    reason: str | None = None

    @property
    def answered(self) -> bool:
        return self.state is SourceState.OK


class AlertsView(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /v1/alerts`: those of this project's rules, urgent ones first.

    Without Alertmanager it is unknown what is silenced or inhibited: all that fire are told as firing. Without Prometheus what is
    pending is unknown. `at` is when they were asked, in Unix seconds.
    """

    alerts: tuple[Alert, ...]
    alertmanager: SourceView
    prometheus: SourceView
    at: float


class SilencesView(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /v1/silences`: those that are not over and may hold back alerts of this project's rules; the next to end first."""

    silences: tuple[Silence, ...]


class SilenceView(msgspec.Struct, frozen=True, kw_only=True):
    """`POST /v1/silences`: the silence, its id empty on a dry run, and which alerts that fire now it holds back."""

    silence: Silence
    alerts: tuple[Alert, ...]
    dry_run: bool
