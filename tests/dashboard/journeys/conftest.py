"""One browser for the journeys of a module: while it is driven, no other event loop runs here.

Each opens windows of its own, within the life of the dashboard that it looks at.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.dashboard import chromium


@pytest.fixture(scope="module")
def driven() -> Iterator[Browser]:
    with chromium.browser() as started:
        yield started
