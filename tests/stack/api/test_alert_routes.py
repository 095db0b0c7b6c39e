"""What control tells about alerts, from two sources of which either may be away."""

from __future__ import annotations

from pathlib import Path

import httpx
import msgspec
import pytest

from stack.adapters.alert_files import runbooks
from stack.api.alert_board import NO_ALERTMANAGER, NO_PROMETHEUS
from stack.api.alert_schema import AlertsView, SourceState, SourceView
from stack.control.alert import AlertState
from stack.control.alert_places import Page, Place
from stack.wiring.control_alerts import NO_WATCHERS, Watchers
from tests.alerts.ruleset import NAMES
from tests.stack.api.alarms import FakeAlertmanager, FakePrometheus, alert
from tests.stack.api.deck import Deck, deck

OK = SourceView(state=SourceState.OK)
DOWN = alert("KvdeckEngineDown", severity="critical", replica="decode-0", model_name="m")
PENDING = alert("KvdeckHotspot", AlertState.PENDING)


async def _alerts(it: Deck) -> AlertsView:
    answer = await it.http.get("/v1/alerts")
    assert answer.status_code == 200, answer.text
    return msgspec.json.decode(answer.content, type=AlertsView)


def _error(answer: httpx.Response) -> tuple[int, str, str]:
    error = answer.json()["error"]
    return answer.status_code, error["code"], error["message"]


async def test_what_fires_and_what_is_pending_come_with_runbook_and_page(tmp_path: Path) -> None:
    watching = Watchers(
        alertmanager=FakeAlertmanager([DOWN, alert("DiskFull")]),
        prometheus=FakePrometheus([PENDING, DOWN]),
        runbooks={"KvdeckEngineDown": "# KvdeckEngineDown"},
    )
    async with deck(tmp_path, watching=watching) as it:
        view = await _alerts(it)
        told = [(one.name, one.state, one.runbook, one.undelivered) for one in view.alerts]
        assert told == [("KvdeckEngineDown", "firing", "KvdeckEngineDown", False), ("KvdeckHotspot", "pending", None, None)]
        assert [one.place for one in view.alerts] == [
            Place(page=Page.ENGINES, filters={"model_name": "m", "engine": "decode-0"}),
            Place(page=Page.ROUTING),
        ]
        assert (view.alertmanager, view.prometheus, view.at) == (OK, OK, it.clock.wall())


async def test_where_one_source_is_away_the_other_tells_and_the_answer_says_so(tmp_path: Path) -> None:
    alertmanager, prometheus = FakeAlertmanager([DOWN]), FakePrometheus([PENDING])
    async with deck(tmp_path, watching=Watchers(alertmanager=alertmanager, prometheus=prometheus)) as it:
        alertmanager.away = "Alertmanager does not answer: ConnectError"
        view = await _alerts(it)
        assert [one.name for one in view.alerts] == ["KvdeckHotspot"]
        assert view.alertmanager == SourceView(state=SourceState.UNREACHABLE, reason=alertmanager.away)
        alertmanager.away, prometheus.away = None, "Prometheus answered 500"
        view = await _alerts(it)
        assert [one.name for one in view.alerts] == ["KvdeckEngineDown"]
        assert view.prometheus == SourceView(state=SourceState.UNREACHABLE, reason="Prometheus answered 500")
        alertmanager.away = "Alertmanager does not answer: ConnectError"
        refused = _error(await it.http.get("/v1/alerts"))
        assert refused == (503, "unreachable", "Alertmanager does not answer: ConnectError; Prometheus answered 500")


async def test_where_nobody_said_who_knows_alerts_that_is_the_answer(tmp_path: Path) -> None:
    async with deck(tmp_path, watching=NO_WATCHERS) as it:
        assert _error(await it.http.get("/v1/alerts")) == (404, "unconfigured", f"{NO_ALERTMANAGER}; {NO_PROMETHEUS}")
        for method in ("GET", "POST", "DELETE"):
            path = "/v1/silences" + ("/x" if method == "DELETE" else "")
            body = {"matchers": [{"name": "alertname", "value": "KvdeckHotspot"}], "comment": "known", "seconds": 60}
            answer = await it.http.request(method, path, json=body if method == "POST" else None)
            assert _error(answer) == (404, "unconfigured", NO_ALERTMANAGER)
    async with deck(tmp_path, watching=Watchers(prometheus=FakePrometheus([PENDING]))) as it:
        view = await _alerts(it)
        assert view.alertmanager == SourceView(state=SourceState.UNCONFIGURED, reason=NO_ALERTMANAGER)


async def test_a_runbook_is_told_as_it_is_shipped(tmp_path: Path) -> None:
    shipped = runbooks()
    assert sorted(shipped) == NAMES
    async with deck(tmp_path, watching=Watchers(runbooks=shipped)) as it:
        answer = await it.http.get("/v1/runbooks/KvdeckHotspot")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/markdown; charset=utf-8")
        assert answer.text == shipped["KvdeckHotspot"]


@pytest.mark.parametrize(
    "name", ["Nothing", "..%2Falertmanager", "%2e%2e%2fREADME", "..%2F..%2Fpyproject.toml", "KvdeckHotspot.md", "%00"]
)
async def test_only_a_runbook_that_there_is_is_told(tmp_path: Path, name: str) -> None:
    async with deck(tmp_path, watching=Watchers(runbooks=runbooks())) as it:
        answer = await it.http.get(f"/v1/runbooks/{name}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
