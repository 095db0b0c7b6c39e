"""The dashboard in a real browser: Streamlit as its own process, the real control, something that plays Prometheus."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect, sync_playwright

import dashboard
from tests.dashboard.fakes import NOWHERE, Steered, prometheus
from tests.dashboard.samples import BUSY
from tests.decisions import decision, disaggregated

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SKIP = os.environ.get("KVDECK_BROWSER_SKIP") or ("" if CHROMIUM else "no Chromium on PATH")
# Root has no sandbox; the rest keeps the browser from asking the internet for things of its own.
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)  # of its own it waits for five seconds, which is not long on a busy machine

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(SKIP), reason=SKIP)]


@pytest.fixture
def page() -> Iterator[Page]:
    """A window as wide as the layouts are made for. No page of ours may ask another machine for anything."""
    abroad: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        window = browser.new_page(viewport={"width": 1280, "height": 800})
        window.set_default_timeout(PATIENCE_MS)
        window.on("request", lambda request: None if _local(request.url) else abroad.append(request.url))
        yield window
        browser.close()
    assert abroad == []


def _local(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:"))


@contextmanager
def served(prometheus_url: str, control_url: str) -> Iterator[str]:
    """The dashboard as `kvdeck up` starts it; its URL."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    app = Path(dashboard.__path__[0]) / "app.py"
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.port", str(port), "--server.address", "127.0.0.1"]
    environment = os.environ | {"KVDECK_PROMETHEUS_URL": prometheus_url, "KVDECK_CONTROL_URL": control_url}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        try:
            assert process.stdout is not None
            assert any("URL:" in line for line in process.stdout)  # it says so once it listens
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.communicate()


def visit(page: Page, title: str) -> None:
    page.get_by_role("link", name=title).click()
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()


def sound(page: Page) -> None:
    """Nothing of Streamlit's own words for a fault."""
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert "Traceback" not in page.content()


def test_an_operator_looks_at_every_page_and_changes_the_strategy(page: Page, steered: Steered) -> None:
    steered.report(decision(), disaggregated())
    with prometheus(BUSY) as prometheus_url, served(prometheus_url, steered.url) as url:
        page.goto(url)
        expect(page.get_by_text("The fleet is well.")).to_be_visible()
        expect(page.get_by_text("Emulated fleet")).to_be_visible()
        expect(page.get_by_text("Where prompt tokens' KV came from")).to_be_visible()
        expect(page.get_by_text("2.00 /s")).to_be_visible()
        sound(page)

        visit(page, "Routing")
        expect(page.get_by_text("prefill-0 (1)")).to_be_visible()
        expect(page.get_by_text("decode-0 (2)")).to_be_visible()
        sound(page)

        visit(page, "Control")
        expect(page.get_by_text("Applied: generation 1")).to_be_visible()
        page.get_by_label("Routing strategy").click()
        page.get_by_role("option", name="kv_aware").click()
        page.get_by_role("button", name="Preview").click()
        expect(page.get_by_text("This would become generation 2")).to_be_visible()
        page.get_by_label("Why").fill("seen in a browser")
        page.get_by_role("button", name="Apply").click()
        expect(page.get_by_text("Generation 2 is in force.")).to_be_visible()
        expect(page.get_by_text("Every live router applies generation 2")).to_be_visible()
        sound(page)

    audit = httpx.get(f"{steered.url}/v1/audit").json()["records"][0]
    assert (audit["generation"], audit["comment"]) == (2, "seen in a browser")


def test_the_form_keeps_its_edits_while_the_page_refreshes_itself(page: Page, steered: Steered) -> None:
    with prometheus({}) as prometheus_url, served(prometheus_url, steered.url) as url:
        page.goto(f"{url}/control")
        threshold = page.get_by_label("Routing threshold")
        threshold.fill("2048")
        threshold.press("Tab")
        page.get_by_text("History: who changed what").click()
        steered.patch({"strategy": "session"})
        expect(page.get_by_text("Somebody changed the state")).to_be_visible()
        expect(page.get_by_text("Applied: generation 2")).to_be_visible()
        expect(threshold).to_have_value("2048")
        history = page.get_by_role("group").filter(has_text="History: who changed what").get_by_test_id("stExpanderDetails")
        expect(history).to_be_visible()
        expect(history).not_to_have_attribute("inert", "")  # as what is folded up is
        sound(page)


def test_pages_say_which_sources_are_away(page: Page) -> None:
    with served(NOWHERE, NOWHERE) as url:
        page.goto(url)
        expect(page.get_by_text("Prometheus at")).to_be_visible()
        expect(page.get_by_text("Control does not answer")).to_be_visible()
        for title in ("Routing", "Control"):
            visit(page, title)
            expect(page.get_by_text("Control does not answer")).to_be_visible()
            sound(page)
