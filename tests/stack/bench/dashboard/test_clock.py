"""Refreshes are read from what a page's clock noted."""

from __future__ import annotations

from stack.bench.dashboard.clock import Marks, Refresh, refreshes, script


def marks(sent: list[float], changed: list[float], received: list[tuple[float, float]] | None = None) -> Marks:
    return Marks(painted=900.0, sent=sent, received=received or [], changed=changed)


def test_a_refresh_lasts_from_its_first_request_to_the_last_change_on_the_page() -> None:
    seen = marks(
        sent=[700, 5800, 5900, 10800, 15800],
        changed=[800, 900, 6000, 6300, 11000, 16000],
        received=[(750, 5000), (5950, 20), (6200, 300), (10900, 40), (15900, 1)],
    )
    assert list(refreshes(seen)) == [Refresh(seconds=0.5, bytes=320), Refresh(seconds=0.2, bytes=40)]


def test_the_first_drawing_and_a_refresh_that_may_still_be_under_way_are_no_refreshes() -> None:
    assert list(refreshes(marks(sent=[700, 5800], changed=[900, 6000]))) == []


def test_a_request_while_the_page_still_changes_belongs_to_the_refresh_before() -> None:
    seen = marks(sent=[0, 5000, 6200, 11000], changed=[100, 5400, 6000, 7100, 11100])
    assert list(refreshes(seen)) == [Refresh(seconds=2.1, bytes=0)]


def test_a_refresh_that_changed_nothing_took_no_time_that_anybody_saw() -> None:
    assert list(refreshes(marks(sent=[0, 5000, 10000], changed=[100, 10100]))) == []


def test_a_page_that_was_left_alone_has_no_refreshes() -> None:
    assert list(refreshes(marks(sent=[], changed=[]))) == []


def test_the_clock_waits_for_as_many_numbers_as_it_is_told() -> None:
    assert ".length >= 6;" in script(6)
