"""What holds for every test: how many examples a property gets, and which tests need a browser."""

from __future__ import annotations

import logging
import os
import shutil

import pytest
from hypothesis import settings

# No deadline for one example: on a busy machine it says more about the machine. Fewer examples than the default hundred:
# the whole suite is meant to be run often; tests that want more ask for them.
settings.register_profile("kvdeck", max_examples=50, deadline=None)
settings.register_profile("long", max_examples=10_000, deadline=None)  # pytest --hypothesis-profile=long
settings.load_profile("kvdeck")


@pytest.fixture(autouse=True)
def quiet() -> None:
    """A test that starts one of our programs in this process sets how much is logged: the next one begins as Python does."""
    logging.getLogger().setLevel(logging.WARNING)


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
