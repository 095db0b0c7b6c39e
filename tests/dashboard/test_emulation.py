"""Emulated fleets are marked, as long as anybody knows that they are."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from stack.metrics import fleet_queries
from tests.dashboard.fakes import Steered, prometheus


def _mark() -> None:
    from dashboard import emulation

    emulation.banner()


def _moved() -> None:
    """The page, and a part of it that is drawn when Prometheus tells otherwise than it did the page."""
    import os

    import streamlit as st

    from dashboard import emulation

    def part() -> None:
        st.text("part")

    emulation.banner()
    os.environ["KVDECK_PROMETHEUS_URL"] = os.environ["KVDECK_TEST_LATER_URL"]
    del st.session_state["settings"]
    emulation.watched(part)()


def marks(session: AppTest) -> list[bool]:
    page = session.run()
    if "control" in page.session_state:
        page.session_state["control"].close()
        del page.session_state["control"]
    return ["Emulated fleet" in element.value for element in page.markdown]


def test_control_tells(steered: Steered) -> None:
    assert marks(AppTest.from_function(_mark)) == [True]


def test_the_exporter_tells_when_control_cannot(environment: pytest.MonkeyPatch) -> None:
    with prometheus({fleet_queries.kinds().expr: [({"emulated": "true"}, 1.0)]}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        assert marks(AppTest.from_function(_mark)) == [True]


def test_a_real_fleet_has_no_mark(environment: pytest.MonkeyPatch) -> None:
    with prometheus({fleet_queries.kinds().expr: [({"emulated": "false"}, 1.0)]}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        assert marks(AppTest.from_function(_mark)) == []


def test_nobody_telling_is_no_mark(environment: pytest.MonkeyPatch) -> None:
    assert marks(AppTest.from_function(_mark)) == []


def test_the_mark_stays_while_nobody_can_say_otherwise(environment: pytest.MonkeyPatch) -> None:
    session = AppTest.from_function(_mark)
    with prometheus({fleet_queries.kinds().expr: [({"emulated": "true"}, 1.0)]}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        assert marks(session) == [True]
    assert marks(session) == [True]


def test_a_part_that_is_drawn_anew_draws_the_whole_page_where_its_mark_is_no_longer_so(environment: pytest.MonkeyPatch) -> None:
    real, emulated = ({fleet_queries.kinds().expr: [({"emulated": told}, 1.0)]} for told in ("false", "true"))
    with prometheus(real) as before, prometheus(emulated) as later:
        environment.setenv("KVDECK_PROMETHEUS_URL", before)
        environment.setenv("KVDECK_TEST_LATER_URL", later)
        session = AppTest.from_function(_moved)
        assert marks(session) == [True]
    assert [text.value for text in session.text] == ["part"]
