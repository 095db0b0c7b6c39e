"""The alerts of a Prometheus' own rules: https://prometheus.io/docs/prometheus/latest/querying/api/#alerts"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TypeVar

import httpx
import msgspec

from stack.control.alert import NAME, OURS, SEVERITY, Alert, AlertState
from stack.control.alert_ports import AlertSourceError, NoRulesError

T = TypeVar("T")

DEADLINE_SECONDS = 3.0
_STATES = {"firing": AlertState.FIRING, "pending": AlertState.PENDING}


class _Alert(msgspec.Struct, rename="camel"):
    labels: dict[str, str]
    state: str
    annotations: dict[str, str] = {}
    active_at: datetime | None = None


class _Alerts(msgspec.Struct):
    alerts: list[_Alert] = []


class _Answer(msgspec.Struct):
    data: _Alerts


class _Rule(msgspec.Struct):
    name: str


class _Group(msgspec.Struct):
    rules: list[_Rule] = []


class _Groups(msgspec.Struct):
    groups: list[_Group] = []


class _Rules(msgspec.Struct):
    data: _Groups


class PrometheusAlerts:
    """`stack.control.alert_ports.RuleAlerts` of this project's rules; `client` is who asks, with its credentials."""

    def __init__(self, client: httpx.AsyncClient, url: str) -> None:
        self._client, self._url = client, f"{url.rstrip('/')}/api/v1"

    async def alerts(self) -> tuple[Alert, ...]:
        told = (await self._ask("/alerts", _Answer)).data.alerts
        found = tuple(_alert(each) for each in told if each.state in _STATES and each.labels.get(NAME, "").startswith(OURS))
        if not found and not await self._has_rules():
            raise NoRulesError("Prometheus evaluates none of kvdeck's rules: name them in its rule_files")
        return found

    async def _has_rules(self) -> bool:
        groups = (await self._ask("/rules?type=alert", _Rules)).data.groups
        return any(rule.name.startswith(OURS) for group in groups for rule in group.rules)

    async def _ask(self, path: str, kind: type[T]) -> T:
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                answer = (await self._client.get(self._url + path)).raise_for_status()
            return msgspec.json.decode(answer.content, type=kind)
        except httpx.HTTPStatusError as error:
            raise AlertSourceError(f"Prometheus answered {error.response.status_code}") from error
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            raise AlertSourceError(f"Prometheus does not answer: {type(error).__name__}") from error
        except msgspec.DecodeError as error:
            raise AlertSourceError("what answers as Prometheus is none") from error


def _alert(told: _Alert) -> Alert:
    return Alert(
        name=told.labels[NAME],
        state=_STATES[told.state],
        labels=told.labels,
        severity=told.labels.get(SEVERITY),
        summary=told.annotations.get("summary"),
        description=told.annotations.get("description"),
        since=None if told.active_at is None else told.active_at.timestamp(),
    )
