"""What a Prometheus says of the alerts of its rules."""

from __future__ import annotations

import httpx
import pytest

from stack.adapters.rule_alerts import PrometheusAlerts
from stack.control.alert import Alert, AlertState
from stack.control.alert_ports import AlertSourceError, NoRulesError

PENDING = {
    "labels": {"alertname": "KvdeckHotspot", "severity": "warning", "replica": "decode-0"},
    "annotations": {"summary": "So.", "description": "And so."},
    "state": "pending",
    "activeAt": "2026-01-02T03:04:05.678901234Z",
    "value": "5e+00",
}
OTHERS = {"labels": {"alertname": "DiskFull"}, "annotations": {}, "state": "firing", "activeAt": "2026-01-02T03:04:05Z"}


def _prometheus(alerts: list[object], *rules: str) -> PrometheusAlerts:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/prefix/api/v1/alerts":
            return httpx.Response(200, json={"status": "success", "data": {"alerts": alerts}})
        assert str(request.url) == "http://prometheus/prefix/api/v1/rules?type=alert"
        groups = [{"name": "g", "rules": [{"name": name, "type": "alerting", "alerts": []} for name in rules]}]
        return httpx.Response(200, json={"status": "success", "data": {"groups": groups}})

    return PrometheusAlerts(httpx.AsyncClient(transport=httpx.MockTransport(answer)), "http://prometheus/prefix/")


async def test_our_alerts_are_read_with_what_they_say_and_since_when() -> None:
    assert await _prometheus([PENDING, OTHERS]).alerts() == (
        Alert(
            name="KvdeckHotspot",
            state=AlertState.PENDING,
            labels={"alertname": "KvdeckHotspot", "severity": "warning", "replica": "decode-0"},
            severity="warning",
            summary="So.",
            description="And so.",
            since=1767323045.678901,
        ),
    )


async def test_that_nothing_fires_is_believed_of_one_that_has_our_rules_alone() -> None:
    assert await _prometheus([OTHERS], "DiskFull", "KvdeckHotspot").alerts() == ()
    with pytest.raises(NoRulesError, match="evaluates none of kvdeck's rules"):
        await _prometheus([OTHERS], "DiskFull").alerts()


async def test_what_is_no_prometheus_is_told_as_such() -> None:
    client = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(200, text="<html>")))
    with pytest.raises(AlertSourceError, match="what answers as Prometheus is none"):
        await PrometheusAlerts(client, "http://prometheus").alerts()
    client = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(503)))
    with pytest.raises(AlertSourceError, match="Prometheus answered 503"):
        await PrometheusAlerts(client, "http://prometheus").alerts()
