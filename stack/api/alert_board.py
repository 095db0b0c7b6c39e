"""What fires and what is silenced: Alertmanager and Prometheus, each as far as it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec.structs import replace

from stack.api.alert_schema import AlertsView, SourceState, SourceView
from stack.api.errors import ApiError
from stack.control.alert import Alert, joined
from stack.control.alert_places import place
from stack.control.alert_ports import Alerting, AlertSourceError, NoRulesError, RuleAlerts, SilenceRefusedError, UnknownSilenceError
from stack.control.silence import EVERY_ONE, Matcher, Silence, foreign

T = TypeVar("T")

NO_ALERTMANAGER = "control is not told where Alertmanager is: kvdeck control --alertmanager-url"
NO_PROMETHEUS = "control is not told where Prometheus is: kvdeck control --prometheus-url"
_OK = SourceView(state=SourceState.OK)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertBoard:
    """`alertmanager` and `prometheus` are None where nobody said where they are; `runbooks` are the names of pages there are."""

    alertmanager: Alerting | None = None
    prometheus: RuleAlerts | None = None
    runbooks: Collection[str] = field(default=())
    wall: Callable[[], float]

    async def alerts(self) -> AlertsView:
        """All that is known. Raises ApiError where nothing is."""
        firing, rules = await asyncio.gather(self._firing(), self._rules())
        if not firing[1].answered and not rules[1].answered:
            raise _nothing(firing[1], rules[1])
        found = joined(firing[0], rules[0])
        return AlertsView(
            alerts=tuple(self._placed(alert) for alert in found), alertmanager=firing[1], prometheus=rules[1], at=self.wall()
        )

    async def silences(self) -> tuple[Silence, ...]:
        """Those that may concern this project's alerts, the next to end first. Raises ApiError."""
        found = await self.asking(lambda source: source.silences())
        return tuple(sorted((each for each in found if not foreign(each.matchers)), key=lambda each: (each.ends, each.id)))

    async def held_back(self, matchers: Sequence[Matcher]) -> tuple[Alert, ...]:
        """What fires now and `matchers` fit, as Alertmanager judges. Raises ApiError."""
        found = await self.asking(lambda source: source.alerts(matchers))
        return tuple(self._placed(alert) for alert in sorted(found, key=lambda alert: alert.urgency))

    async def asking(self, question: Callable[[Alerting], Awaitable[T]]) -> T:
        """Alertmanager's answer. Raises ApiError where there is none, or it is no."""
        if self.alertmanager is None:
            raise ApiError(404, SourceState.UNCONFIGURED, NO_ALERTMANAGER)
        try:
            return await question(self.alertmanager)
        except UnknownSilenceError as error:
            raise ApiError(404, "unknown_silence", str(error), "id") from error
        except SilenceRefusedError as error:
            raise ApiError(422, "invalid_silence", str(error)) from error
        except AlertSourceError as error:
            raise ApiError(503, SourceState.UNREACHABLE, str(error)) from error

    def _placed(self, alert: Alert) -> Alert:
        runbook = alert.name if alert.name in self.runbooks else None
        return replace(alert, runbook=runbook, place=place(alert.name, alert.labels))

    async def _firing(self) -> tuple[tuple[Alert, ...] | None, SourceView]:
        if self.alertmanager is None:
            return None, SourceView(state=SourceState.UNCONFIGURED, reason=NO_ALERTMANAGER)
        return await _asked(self.alertmanager.alerts([EVERY_ONE]))

    async def _rules(self) -> tuple[tuple[Alert, ...] | None, SourceView]:
        if self.prometheus is None:
            return None, SourceView(state=SourceState.UNCONFIGURED, reason=NO_PROMETHEUS)
        return await _asked(self.prometheus.alerts())


async def _asked(question: Awaitable[tuple[Alert, ...]]) -> tuple[tuple[Alert, ...] | None, SourceView]:
    try:
        return await question, _OK
    except AlertSourceError as error:
        state = SourceState.NO_RULES if isinstance(error, NoRulesError) else SourceState.UNREACHABLE
        return None, SourceView(state=state, reason=str(error))


def _nothing(*sources: SourceView) -> ApiError:
    reasons = "; ".join(source.reason or "" for source in sources)
    away = any(source.state is not SourceState.UNCONFIGURED for source in sources)
    return ApiError(503, SourceState.UNREACHABLE, reasons) if away else ApiError(404, SourceState.UNCONFIGURED, reasons)
