"""Pictures of the dashboard's pages: `python -m tests.dashboard.screens URL` makes the README's, of a stack that runs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, expect

from dashboard.pages import PAGES
from tests.dashboard.chromium import browser, drawn, window

FOLDER = Path(__file__).parents[2] / "dashboard" / "screens"
SHOWN = ("overview", "cache", "routing", "dpd")
"""The pages that the README shows."""


@dataclass(frozen=True, slots=True)
class Size:
    """A window in CSS pixels."""

    name: str
    width: int
    height: int


WIDE, NARROW = Size("wide", 1280, 800), Size("narrow", 420, 900)
SIZES = (WIDE, NARROW)
_SETTLED_MS = 1500  # plotly's flows grow into their place


def take(page: Page, file: Path) -> None:
    """Keep what the window shows."""
    file.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(file))


def main() -> None:
    """The README's pictures, light and wide."""
    (url,) = sys.argv[1:]
    with browser() as chromium, window(chromium, WIDE.width, WIDE.height) as page:
        for each in PAGES:
            if each.path in SHOWN:
                page.goto(f"{url}/{each.path}")
                expect(page.get_by_role("heading", name=each.title, exact=True)).to_be_visible()
                expect(page.locator(".js-plotly-plot").first).to_be_visible()
                drawn(page)
                page.wait_for_timeout(_SETTLED_MS)
                take(page, FOLDER / f"{each.path}.png")


if __name__ == "__main__":
    main()
