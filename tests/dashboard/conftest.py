"""A dashboard's environment, and its pages under Streamlit's own test harness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

import pytest
import streamlit as st
from streamlit import config
from streamlit.testing.v1 import AppTest

from tests.dashboard.fakes import NOWHERE, EmulatedFleet, Steered
from tests.stack.api.deck import running
from tests.stack.control.samples import desired

TOOLBAR = frozenset({"model", "namespace", "cluster", "refresh", "range", "from", "until"})  # keys of what every page's head has

PAST: Mapping[str, str] = {"from": "2024-03-05T18:15:00Z", "until": "2024-03-05T18:30:00Z"}
"""What a link holds that shows a quarter of an hour that is past."""


class Opener(Protocol):
    """Opens a page by the name of its view, as one session; `query` is what the link to it holds."""

    def __call__(self, view: str, query: Mapping[str, str | list[str]] | None = None) -> AppTest: ...


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """`KVDECK_*` is the test's alone; until it says otherwise every source is away."""
    for name in ("PROMETHEUS", "CONTROL", "ALERTMANAGER", "ROUTER"):
        monkeypatch.setenv(f"KVDECK_{name}_URL", NOWHERE)
    for name in ("CONTROL_TOKEN_FILE", "PROMETHEUS_CONFIG", "SIGN_IN"):
        monkeypatch.delenv(f"KVDECK_{name}", raising=False)
    config.set_option("server.address", "127.0.0.1")
    yield monkeypatch
    st.cache_resource.clear()
    st.cache_data.clear()
    st.session_state.clear()  # of what ran outside a session


@pytest.fixture
def opened(environment: pytest.MonkeyPatch) -> Iterator[Opener]:
    """Every session that it opens has an end."""
    sessions: list[AppTest] = []

    def _page(view: str) -> None:
        import importlib

        importlib.import_module(f"dashboard.views.{view}").page()

    def open_page(view: str, query: Mapping[str, str | list[str]] | None = None) -> AppTest:
        session = AppTest.from_function(_page, kwargs={"view": view}, default_timeout=60)
        for name, value in (query or {}).items():
            session.query_params[name] = value
        sessions.append(session)
        return session.run()

    yield open_page
    for session in sessions:
        if "control" in session.session_state:
            session.session_state["control"].close()


@pytest.fixture
def steered(environment: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Steered]:
    """The real control over an emulated fleet of one prefill and two decode engines, and the dashboard told of it."""
    fleet = EmulatedFleet(running("prefill-0", "decode-0", "decode-1").engines)
    control = Steered(tmp_path / "control", fleet, desired())
    environment.setenv("KVDECK_CONTROL_URL", control.url)
    yield control
    control.stop()
