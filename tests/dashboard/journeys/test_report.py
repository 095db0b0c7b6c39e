"""A report, opened from a file: it asks nobody for anything."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner
from playwright.sync_api import Browser, expect

from dashboard.report.__main__ import main
from tests.dashboard.chromium import MARKS, PATIENCE_MS
from tests.dashboard.fakes import prometheus
from tests.dashboard.report.told import TWO_MODELS

pytestmark = MARKS


def test_a_report_is_drawn_without_a_network(driven: Browser, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    with prometheus(TWO_MODELS) as url:
        assert CliRunner().invoke(main, ["--since", "30m", "--out", str(out), "--prometheus-url", url]).exit_code == 0
    noted: list[str] = []
    with driven.new_context(viewport={"width": 420, "height": 900}, color_scheme="dark") as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("request", lambda request: noted.append(request.url))
        page.on("console", lambda message: noted.append(message.text))
        page.on("pageerror", lambda error: noted.append(str(error)))
        page.goto(out.as_uri())
        expect(page.locator(".js-plotly-plot")).to_have_count(4)  # the waterfall, a latency, requests, the hit ratio
        expect(page.get_by_role("heading", name="What is unknown")).to_be_visible()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(14, 17, 23)"
        assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert noted == [out.as_uri()]
