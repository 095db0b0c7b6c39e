"""What holds for every test: browser tests run only where there is a browser, and say so where there is none."""

from __future__ import annotations

import os
import shutil

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = _no_browser()
    if reason is None:
        return
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason=reason))


def _no_browser() -> str | None:
    """`kvdeck test` gives the reason it found; a bare pytest looks for itself."""
    if reason := os.environ.get("KVDECK_BROWSER_SKIP"):
        return reason
    if any(map(shutil.which, ("chromium", "google-chrome"))):
        return None
    return "no chromium or google-chrome on PATH"
