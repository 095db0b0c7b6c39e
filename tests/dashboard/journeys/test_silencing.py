"""Somebody sees an alert, reads what to do, has it silenced for a while, and ends that again; over a real Alertmanager."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
from playwright.sync_api import Browser, expect

from stack.adapters.alert_files import runbooks
from stack.adapters.alertmanager import Alertmanager
from stack.wiring.control_alerts import Watchers
from tests.alerts.delivery import delivering
from tests.alerts.promtool import ROOT
from tests.dashboard.chromium import MARKS, drawn, served, sound, window
from tests.dashboard.fakes import EmulatedFleet, Steered, prometheus
from tests.stack.api.alarms import FakePrometheus, alert
from tests.stack.api.deck import running
from tests.stack.control.samples import desired

pytestmark = MARKS
HOTSPOT = {"alertname": "KvdeckHotspot", "severity": "warning", "model_name": "smollm2", "instance": "10.0.0.7:8000"}


def test_an_alert_is_silenced_with_a_reason_and_the_silence_ended(driven: Browser, tmp_path: Path) -> None:
    with delivering(ROOT / "alerts" / "alertmanager.yaml", tmp_path) as alertmanager, prometheus({}) as prometheus_url:
        annotations = {"summary": "Requests queue at 10.0.0.7:8000 beside an idle engine"}
        alertmanager.client.post("/api/v2/alerts", json=[{"labels": HOTSPOT, "annotations": annotations}]).raise_for_status()
        # Control's loop ends without a word: no connection may be left open then.
        client = httpx.AsyncClient(trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))
        asked = Alertmanager(client, str(alertmanager.client.base_url))
        rules = FakePrometheus([alert("KvdeckHotspot", model_name="smollm2", instance="10.0.0.7:8000")])
        watching = Watchers(alertmanager=asked, prometheus=rules, runbooks=runbooks())
        fleet = EmulatedFleet(running("prefill-0", "decode-0").engines)
        control = Steered(tmp_path / "control", fleet, desired(), watching=watching)
        try:
            with served(prometheus_url, control.url) as url, window(driven) as page:
                page.goto(f"{url}/alerts")
                page.get_by_text("Requests queue at 10.0.0.7:8000 beside an idle engine").first.click()
                expect(page.get_by_text("What to do: KvdeckHotspot")).to_be_visible()
                assert "alerts-open-KvdeckHotspot-warning=true" in page.url
                page.get_by_role("button", name="Silence…").click()
                expect(page.get_by_text("Holds back 1 that fire now")).to_be_visible()
                page.get_by_text("2 h", exact=True).click()
                page.get_by_label("Why (required").fill("new GPUs at noon")
                page.get_by_role("button", name="Silence", exact=True).click()
                expect(page.get_by_text("Silenced until")).to_be_visible()
                expect(page.get_by_text("1 silenced")).to_be_visible()
                drawn(page)
                sound(page)

                page.get_by_role("button", name="End it now").click()
                expect(page.get_by_text("Nothing is silenced.")).to_be_visible()
                page.get_by_role("link", name="See it on Routing").click()
                expect(page.get_by_role("heading", name="Routing", exact=True)).to_be_visible()
                expect(page.get_by_role("button", name="smollm2")).to_be_visible()
                expect(page).to_have_url(re.compile("[?&]model=smollm2"))
            audit = httpx.get(f"{control.url}/v1/audit").json()["records"]
            assert [(record["outcome"], record["comment"]) for record in audit[:2]] == [
                ("silence", None),
                ("silence", "new GPUs at noon"),
            ]
        finally:
            control.stop()
