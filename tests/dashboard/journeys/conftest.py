"""One browser for all journeys, a window for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.dashboard import chromium


@pytest.fixture(scope="session")
def driven() -> Iterator[Browser]:
    with chromium.browser() as started:
        yield started


@pytest.fixture
def page(driven: Browser) -> Iterator[Page]:
    """A window as wide as the layouts are made for."""
    with chromium.window(driven) as opened:
        yield opened
