"""A real Chromium before the dashboard, driven by playwright."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from stack.bench.dashboard import clock
from stack.bench.dashboard.clock import Marks

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
AWAY = "Prometheus at"  # how every page begins to say that it is away
NUMBERS = 1  # that Overview has at its top, at least: what is unknown has none
_CHARTS, _UNDRAWN = "**/PlotlyChart.*.js", "export const PlotlyChart = () => null; export default PlotlyChart;"
_SIZE = {"width": 1280, "height": 800}
_PATIENCE_MS = 90_000.0  # a machine that others keep busy is slow, and its figures say so
# Root has no sandbox; the rest keeps the browser from asking the internet for things of its own.
_FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update")


class BrowserError(RuntimeError):
    """There is no browser to measure with, or it showed something else than the dashboard; the message says what to do."""


@contextmanager
def chromium(which: Callable[[str], str | None] = shutil.which) -> Iterator[Window]:
    """A browser of our own for the block. Raises BrowserError."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise BrowserError("playwright is not installed: `pip install playwright`, or kvdeck[test], which brings it") from error
    program = next(filter(None, map(which, PROGRAMS)), None)
    if program is None:
        raise BrowserError(f"no Chromium on PATH ({', '.join(PROGRAMS)}): `apt-get install chromium`")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(_FLAGS))
        try:
            yield Window(browser)
        finally:
            browser.close()


@dataclass(frozen=True, slots=True)
class Window:
    """Measures in pages of one browser. Each raises BrowserError when the dashboard does not show what is waited for."""

    browser: Browser

    def paints(self, url: str, warm: int) -> list[float]:
        """Seconds to the first useful paint, with an empty cache and then `warm` times with what that left."""
        with self._page() as page:
            return [_painted(page, url) for _ in range(1 + warm)]

    def left_open(self, url: str, seconds: float) -> Marks:
        """What the clock of a page says that was left alone for so long after its paint."""
        with self._page() as page:
            _painted(page, url)
            page.wait_for_timeout(seconds * 1000)
            return _marks(page)

    def left_open_together(self, url: str, count: int, measure: Callable[[], None]) -> list[Marks]:
        """So many pages, each of a session and a browser profile of its own, open while `measure` runs; their clocks begin then.

        They get their charts and draw none: it is the dashboard that is measured, and ten browsers would fill a machine.
        """
        with ExitStack() as stack:
            pages = [stack.enter_context(self._page()) for _ in range(count)]
            for page in pages:
                page.route(_CHARTS, lambda route: route.fulfill(body=_UNDRAWN, content_type="text/javascript"))
            for page in pages:
                _painted(page, url)
            for page in pages:
                page.evaluate("() => Object.assign(kvdeckClock, {sent: [], received: [], changed: []})")
            measure()
            return [_marks(page) for page in pages]

    def away(self, url: str, other: str) -> tuple[float | None, float | None]:
        """Seconds from a navigation until the page says that Prometheus is away; from a click until the page `other` is there."""
        with self._page() as page:
            began = time.monotonic()
            page.goto(url, wait_until="commit")
            told = _waited(page.get_by_text(AWAY).first.wait_for, began)
            began = time.monotonic()
            page.get_by_role("link", name=other, exact=True).first.click()
            return told, _waited(page.get_by_role("heading", name=other, exact=True).wait_for, began)

    def pages(self, url: str) -> dict[str, str]:
        """Address by title of each page that the dashboard's navigation names."""
        with self._page() as page:
            _painted(page, url)
            links = page.get_by_role("link").all()
            found = [(link.inner_text(), str(link.evaluate("(link) => link.href"))) for link in links if link.is_visible()]
        # Before its title a link of the navigation has its icon, by name.
        named: dict[str, str] = {}
        for words, to in found:  # the navigation is above all links of the page's own to the same places
            if "\n" in words and to.startswith(url):
                named.setdefault(to.partition("?")[0], words.split("\n")[-1])
        return {title: address for address, title in named.items()}

    def look(self, url: str, seconds: float) -> None:
        """Leave a page open for so long, whatever it shows."""
        with self._page() as page:
            page.goto(url)
            page.wait_for_timeout(seconds * 1000)

    @contextmanager
    def _page(self) -> Iterator[Page]:
        context = self.browser.new_context(viewport=_SIZE)  # type: ignore[arg-type]  # a typed dict of playwright's
        context.set_default_timeout(_PATIENCE_MS)
        context.add_init_script(clock.script(NUMBERS))
        try:
            yield context.new_page()
        finally:
            context.close()


def _painted(page: Page, url: str) -> float:
    from playwright.sync_api import Error

    try:
        page.goto(url, wait_until="commit")
        page.wait_for_function("() => window.kvdeckClock && window.kvdeckClock.painted")
    except Error as error:
        raise BrowserError(f"Overview did not show its verdict and its numbers: {error.message.splitlines()[0]}") from error
    return float(page.evaluate("() => kvdeckClock.painted")) / 1000


def _marks(page: Page) -> Marks:
    return msgspec.convert(page.evaluate("() => kvdeckClock"), type=Marks)


def _waited(wait: Callable[[], None], began: float) -> float | None:
    from playwright.sync_api import TimeoutError as PatienceError

    try:
        wait()
    except PatienceError:
        return None
    return time.monotonic() - began
