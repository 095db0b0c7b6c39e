"""Every page asks Prometheus little, however large the fleet is, and of no other hours than those that are held."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from datetime import datetime

import pytest

from dashboard.pages import PAGES, Page
from tests.dashboard.conftest import PAST, Opener
from tests.dashboard.fakes import Heard, Steered, prometheus
from tests.decisions import decision

MOST = 12  # questions a page and refresh; what marks emulated fleets asks one more where control is away

UNTIL = datetime.fromisoformat(PAST["until"])
OF_NOW: Mapping[str, Mapping[str, str]] = {
    "DPD": {"dpd-part": "Threshold"},
    "Routing": {"routing-view": "Decisions"},
    **{title: {} for title in ("Pools and engines", "Control", "Doctor")},
}
"""Pages with a part that nobody keeps, by title, and the way to that part."""
ENGINES = ("prefill-0", "decode-0", "decode-1")


def test_no_page_asks_more_than_a_dozen_questions_or_one_of_each_engine(
    environment: pytest.MonkeyPatch,
    steered: Steered,
    opened: Opener,  # control lists the engines
) -> None:
    asked: dict[str, Heard] = {}
    for page in PAGES:
        heard: Heard = []
        with prometheus({}, heard) as url:
            environment.setenv("KVDECK_PROMETHEUS_URL", url)
            opened(_view(page))
        asked[page.title] = heard
    assert {title: len(heard) for title, heard in asked.items() if len(heard) > MOST} == {}
    assert [query for heard in asked.values() for query in heard if any(f'"{engine}"' in query for engine in ENGINES)] == []
    assert all(asked[title] for title in ("Overview", "Cache", "DPD", "Routing"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.title)
def test_of_hours_that_are_held_a_page_asks_until_their_end_and_says_what_is_of_now(
    page: Page, environment: pytest.MonkeyPatch, steered: Steered, opened: Opener
) -> None:
    steered.report(decision())
    moments: list[float] = []
    with prometheus({}, moments=moments) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        shown = opened(_view(page), {**PAST, **OF_NOW.get(page.title, {})})
    assert not shown.exception
    assert {moment for moment in moments if not UNTIL.timestamp() - 30 <= moment <= UNTIL.timestamp()} == set()
    assert moments
    assert any("as of now, not of the hours that are held" in said.value for said in shown.caption) is (page.title in OF_NOW)


def _view(page: Page) -> str:
    view = inspect.getmodule(page.draw)
    assert view is not None
    return view.__name__.rpartition(".")[2]
