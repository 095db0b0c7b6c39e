"""The whole app, as Streamlit runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import dashboard


def test_the_app_opens_on_the_overview_though_every_source_is_away(environment: pytest.MonkeyPatch) -> None:
    page = AppTest.from_file(Path(dashboard.__path__[0]) / "app.py", default_timeout=60).run()
    page.session_state["control"].close()
    assert [title.value for title in page.title] == ["Overview"]
    assert not page.exception
