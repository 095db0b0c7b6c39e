"""A real Alertmanager, asked over the API that control uses."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from stack.adapters.alertmanager import Alertmanager
from stack.adapters.rule_alerts import PrometheusAlerts
from stack.control.alert import AlertState, SilencedBy
from stack.control.alert_ports import AlertSourceError, SilenceRefusedError, UnknownSilenceError
from stack.control.silence import EVERY_ONE, Matcher, SilenceState
from tests.alerts.delivery import Alertmanager as Running
from tests.alerts.delivery import delivering
from tests.alerts.promtool import ROOT

HOTSPOT = Matcher(name="alertname", value="KvdeckHotspot")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with delivering(ROOT / "alerts" / "alertmanager.yaml", tmp_path_factory.mktemp("alertmanager")) as started:
        yield started


@pytest.fixture
async def asked(running: Running) -> AsyncIterator[Alertmanager]:
    async with httpx.AsyncClient(trust_env=False) as client:
        yield Alertmanager(client, f"{running.client.base_url}")


def _tell(running: Running, **labels: str) -> None:
    alert = {"labels": labels, "annotations": {"summary": "It is so.", "description": "All of it."}}
    running.client.post("/api/v2/alerts", json=[alert]).raise_for_status()


async def test_an_alert_is_silenced_and_told_again_when_the_silence_ends(running: Running, asked: Alertmanager) -> None:
    _tell(running, alertname="KvdeckHotspot", severity="warning", model_name='a "quoted" \\ one')
    _tell(running, alertname="DiskFull", severity="warning")
    now = time.time()
    matchers = [HOTSPOT, Matcher(name="model_name", value='a "quoted" \\ one'), Matcher(name="replica", value="")]
    (alert,) = await asked.alerts(matchers)
    assert (alert.name, alert.state, alert.severity) == ("KvdeckHotspot", AlertState.FIRING, "warning")
    assert (alert.summary, alert.description) == ("It is so.", "All of it.")
    assert alert.since == pytest.approx(now, abs=30)
    assert [one.name for one in await asked.alerts([EVERY_ONE])] == ["KvdeckHotspot"]

    made = await asked.silence(matchers, now, now + 600, "ada", "known since monday")
    (silence,) = await asked.silences()
    assert (silence.id, silence.state, silence.by, silence.comment) == (made, SilenceState.ACTIVE, "ada", "known since monday")
    assert (silence.matchers, silence.ours) == (tuple(matchers), True)
    assert silence.ends == pytest.approx(now + 600, abs=0.01)
    (alert,) = await asked.alerts([EVERY_ONE])
    held = SilencedBy(id=made, by="ada", until=silence.ends, comment="known since monday")
    assert (alert.state, alert.silenced_by) == (AlertState.SILENCED, (held,))

    await asked.expire(made)
    assert await asked.silences() == ()
    assert (await asked.alerts([EVERY_ONE]))[0].state is AlertState.FIRING


async def test_an_alert_that_follows_from_another_one_says_from_which(running: Running, asked: Alertmanager) -> None:
    engine = {"cluster": "c", "namespace": "n", "replica": "decode-0"}
    _tell(running, alertname="KvdeckEngineDown", severity="critical", **engine)
    _tell(running, alertname="KvdeckKvTransferSlow", severity="warning", **engine)
    running.webhook.of({"alertname": "KvdeckEngineDown", "cluster": "c", "namespace": "n"})
    slow = Matcher(name="alertname", value="KvdeckEngineDown|KvdeckKvTransferSlow", is_regex=True)
    down, hidden = await asked.alerts([slow])
    assert (down.state, hidden.state, hidden.inhibited_by) == (AlertState.FIRING, AlertState.INHIBITED, ("KvdeckEngineDown",))


async def test_what_alertmanager_does_not_take_is_told_in_its_words(asked: Alertmanager) -> None:
    now = time.time()
    with pytest.raises(SilenceRefusedError, match="error parsing regexp"):
        await asked.silence([Matcher(name="alertname", value="Kvdeck(", is_regex=True)], now, now + 60, "ada", "why")
    with pytest.raises(SilenceRefusedError, match="end time"):
        await asked.silence([HOTSPOT], now, now - 60, "ada", "why")
    with pytest.raises(UnknownSilenceError):
        await asked.expire("00000000-0000-0000-0000-000000000000")


async def test_nobody_there_and_somebody_else_there_are_told_apart(running: Running) -> None:
    async with httpx.AsyncClient(trust_env=False) as client:
        with pytest.raises(AlertSourceError, match="Alertmanager does not answer: ConnectError"):
            await Alertmanager(client, "http://127.0.0.1:9").alerts([])
        with pytest.raises(AlertSourceError, match="Alertmanager answered 404"):
            await Alertmanager(client, f"{running.client.base_url}/elsewhere").silences()
        with pytest.raises(AlertSourceError, match="what answers as Prometheus is none"):
            await PrometheusAlerts(client, f"{running.client.base_url}").alerts()
        with pytest.raises(AlertSourceError, match="Prometheus does not answer: ConnectError"):
            await PrometheusAlerts(client, "http://127.0.0.1:9").alerts()
