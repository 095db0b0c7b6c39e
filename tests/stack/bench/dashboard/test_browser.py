"""Where there is no browser to measure with, the next step is told."""

from __future__ import annotations

import pytest

from stack.bench.dashboard.browser import BrowserError, chromium


def test_a_machine_without_chromium_is_told_how_to_get_it() -> None:
    with pytest.raises(BrowserError, match="`apt-get install chromium`"), chromium(lambda name: None):
        pass
