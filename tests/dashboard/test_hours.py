"""Hours that are held are the same tomorrow."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.hours import between

NOW = datetime(2024, 3, 6, 12, tzinfo=UTC)
HELD = {"from": "2024-03-05T18:00:00Z", "until": "2024-03-05T18:30:00Z"}


def _page() -> None:
    import streamlit as st

    from dashboard import hours
    from dashboard.scope import toolbar

    scope = toolbar("A page")
    st.text(f"{scope.span.universal.start:%d %H:%M} {scope.span.universal.end:%d %H:%M} {scope.whole} {scope.refresh}")
    hours.of_now(scope.until, "What is in force")


def opened(**query: str) -> AppTest:
    page = AppTest.from_function(_page, default_timeout=60)
    for name, value in query.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def texts(page: AppTest) -> tuple[str | None, str | None]:
    return page.text_input(key="from").value, page.text_input(key="until").value


def test_a_link_shows_the_same_hours_whenever_it_is_opened_and_nothing_is_refreshed(environment: pytest.MonkeyPatch) -> None:
    page = opened(range="6h", refresh="5s", **HELD)
    assert page.text[0].value == "05 18:00 05 18:30 1800s None"
    assert page.selectbox(key="refresh").disabled
    picker, _ = page.get("popover")
    assert picker.proto.popover.label == "Mar 05, 18:00 to 18:30"
    assert [info.value for info in page.info] == ["Held: Mar 05, 18:00 to 18:30 (UTC), as it was then. Nothing is refreshed."]
    assert [said.value for said in page.caption] == [
        ":material/update: What is in force: as of now, not of the hours that are held above."
    ]


@pytest.mark.parametrize("by", ["button", "switch"])
def test_what_is_shown_can_be_held_and_let_go_again(environment: pytest.MonkeyPatch, by: str) -> None:
    page = opened(range="1h")
    assert not [*page.info, *page.caption]
    page.toggle(key="hold hours").set_value(True).run()
    since, until = (datetime.fromisoformat(text or "") for text in texts(page))
    assert until - since == timedelta(hours=1)
    assert datetime.now(UTC) - until < timedelta(minutes=5)
    assert (page.query_params["from"], page.query_params["until"]) == texts(page)
    (page.button(key="let hours go").click() if by == "button" else page.toggle(key="hold hours").set_value(False)).run()
    assert texts(page) == ("", "")
    assert not page.info
    assert "from" not in page.query_params
    assert page.text[0].value.endswith("3600s 5")


def test_who_picks_the_last_hours_holds_none_any_more(environment: pytest.MonkeyPatch) -> None:
    page = opened(**HELD)
    page.segmented_control(key="range").set_value("5m").run()
    assert texts(page) == ("", "")
    assert page.text[0].value.endswith("300s 5")


def test_hours_that_are_none_are_refused_with_the_reason(environment: pytest.MonkeyPatch) -> None:
    page = opened(**HELD | {"until": "2024-03-05T17:00:00Z"})
    assert [said.value for said in page.warning] == [
        "No hours are held: From has to be a minute to 31 days before until. The last ones are shown."
    ]
    assert page.text[0].value.endswith("900s 5")


@pytest.mark.parametrize(
    ("since", "until", "why"),
    [
        ("2024-03-05T18:00", "", "Until is missing."),
        ("yesterday", "2024-03-05T18:00", "From is no moment like 2026-01-31T18:00:00Z."),
        ("0001-01-01T00:00+05:00", "2024-03-05T18:00", "From is no moment like 2026-01-31T18:00:00Z."),
        ("2024-03-06T11:00", "2024-03-06T13:00", "Until is still to come."),
        ("2023-03-06", "2024-03-06", "From has to be a minute to 31 days before until."),
    ],
)
def test_why_there_are_no_such_hours(since: str, until: str, why: str) -> None:
    with pytest.raises(ValueError) as refused:
        between(since, until, NOW)
    assert str(refused.value) == why


def test_a_moment_without_a_zone_is_universal_time_and_one_with_a_zone_is_heeded() -> None:
    one, other = between("2024-03-05 18:00", "2024-03-05T18:30", NOW), between("2024-03-05T19:00+01:00", "2024-03-05T18:30Z", NOW)
    assert one == other
    assert one.until == datetime(2024, 3, 5, 18, 30, tzinfo=UTC)
