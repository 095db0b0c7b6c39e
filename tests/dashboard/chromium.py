"""The dashboard in a real browser: Streamlit as its own process, and a window whose every fault is noted."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from tests.dashboard.cut import cut

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SKIP = os.environ.get("KVDECK_BROWSER_SKIP") or ("" if CHROMIUM else "no Chromium on PATH")
MARKS = [pytest.mark.browser, pytest.mark.skipif(bool(SKIP), reason=SKIP)]
# Root has no sandbox; the rest keeps the browser from asking the internet for things of its own.
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)  # of its own it waits for five seconds, which is not long on a busy machine

Scheme = Literal["light", "dark"]
_ABORTED = "net::ERR_ABORTED"  # what was under way when the reader went on


@dataclass(slots=True)
class Faults:
    """What went wrong in a window, as it came."""

    found: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("console", lambda message: self._note(f"console: {message.text}") if message.type == "error" else None)
        page.on("pageerror", lambda error: self._note(f"script: {error}"))
        page.on("request", lambda request: None if _local(request.url) else self._note(f"abroad: {request.url}"))
        page.on("requestfailed", lambda request: self._failed(request.url, request.failure))
        page.on("response", lambda response: self._answered(response.status, response.url))

    def _note(self, fault: str) -> None:
        # The browser says of every answer that is not a success that a resource failed; which one, the answer says.
        if "Failed to load resource" not in fault:
            self.found.append(fault)

    def _failed(self, url: str, why: str | None) -> None:
        if why != _ABORTED:
            self.found.append(f"failed: {url} ({why})")

    def _answered(self, status: int, url: str) -> None:
        if status >= 400:
            self.found.append(f"{status}: {url}")


def _local(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:"))


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@contextmanager
def window(chromium: Browser, width: int = 1280, height: int = 800, scheme: Scheme = "light") -> Iterator[Page]:
    """A window with a cache and cookies of its own. Whatever goes wrong in it fails the test: close it before the server."""
    faults = Faults()
    with chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        faults.watch(page)
        try:
            yield page
        except (AssertionError, PlaywrightError, pytest.fail.Exception) as missed:
            missed.add_note("\n".join([f"the page at {page.url} said:", _said(page), "the browser noted:", *faults.found]))
            raise
    if faults.found:
        pytest.fail("\n".join(["the browser noted:", *faults.found]))


def _said(page: Page) -> str:
    try:
        return page.locator("body").inner_text(timeout=2_000)
    except PlaywrightError as error:
        return f"nothing: {error}"


@contextmanager
def served(prometheus_url: str, control_url: str, *more: str, base: str = "") -> Iterator[str]:
    """The dashboard as `kvdeck up` starts it, with `more` of its options; its URL."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    sources = ("--prometheus-url", prometheus_url, "--control-url", control_url)
    place = ("--listen", f"127.0.0.1:{port}", *(("--base-path", base) if base else ()))
    command = [sys.executable, "-m", "stack.cli.main", "dashboard", *place, *sources, *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert any("URL:" in line for line in process.stdout)  # it says so once it listens
            yield f"http://127.0.0.1:{port}{base}"
        finally:
            process.terminate()
            process.communicate()


def visit(page: Page, title: str) -> None:
    """Go to a page by the navigation."""
    page.get_by_role("link", name=title, exact=True).click()
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()


def sound(page: Page) -> None:
    """Nothing of Streamlit's own words for a fault, and no text that is cut off, in pictures neither."""
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert "Traceback" not in page.content()
    if found := cut(page):
        pytest.fail(f"text is cut off: {found}")


def drawn(page: Page) -> None:
    """Wait until nothing on the page is being drawn any more."""
    page.wait_for_function("() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'")
    expect(page.locator("[data-stale=true]")).to_have_count(0)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)  # last: charts come after the page's numbers
