"""The alerts of a Prometheus' own rules: https://prometheus.io/docs/prometheus/latest/querying/api/#alerts"""

from __future__ import annotations

import asyncio
from datetime import datetime

import httpx
import msgspec

from stack.control.alert import NAME, OURS, SEVERITY, Alert, AlertState
from stack.control.alert_ports import AlertSourceError

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


class PrometheusAlerts:
    """`stack.control.alert_ports.RuleAlerts` of this project's rules; `client` is who asks, with its credentials."""

    def __init__(self, client: httpx.AsyncClient, url: str) -> None:
        self._client, self._url = client, f"{url.rstrip('/')}/api/v1/alerts"

    async def alerts(self) -> tuple[Alert, ...]:
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                answer = (await self._client.get(self._url)).raise_for_status()
            told = msgspec.json.decode(answer.content, type=_Answer).data.alerts
        except httpx.HTTPStatusError as error:
            raise AlertSourceError(f"Prometheus answered {error.response.status_code}") from error
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            raise AlertSourceError(f"Prometheus does not answer: {type(error).__name__}") from error
        except msgspec.DecodeError as error:
            raise AlertSourceError("what answers as Prometheus is none") from error
        return tuple(_alert(each) for each in told if each.state in _STATES and each.labels.get(NAME, "").startswith(OURS))


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
