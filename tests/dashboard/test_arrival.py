"""Who arrives sees first what can be read at once."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import arrival


def _page() -> None:
    from dashboard import arrival

    with arrival.arriving():
        arrival.shown_first()


def _alone() -> None:
    from dashboard import arrival

    arrival.shown_first()


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waits: list[float] = []
    monkeypatch.setattr(arrival, "sleep", waits.append)
    return waits


def test_a_sessions_first_page_shows_it_before_its_charts_and_no_later_one_waits(waited: list[float]) -> None:
    session = AppTest.from_function(_page).run()
    assert waited == [arrival.AHEAD_SECONDS]
    session.run()
    assert waited == [arrival.AHEAD_SECONDS]


def test_every_session_arrives_by_itself(waited: list[float]) -> None:
    AppTest.from_function(_page).run()
    AppTest.from_function(_page).run()
    assert waited == [arrival.AHEAD_SECONDS] * 2


def test_a_part_of_a_page_that_is_drawn_anew_waits_for_nothing(waited: list[float]) -> None:
    AppTest.from_function(_alone).run()
    assert waited == []
