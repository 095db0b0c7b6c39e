"""Every page asks Prometheus little, however large the fleet is."""

from __future__ import annotations

import inspect

import pytest

from dashboard.pages import PAGES
from tests.dashboard.conftest import Opener
from tests.dashboard.fakes import Heard, Steered, prometheus

MOST = 12  # questions a page and refresh; what marks emulated fleets asks one more where control is away

ENGINES = ("prefill-0", "decode-0", "decode-1")


def test_no_page_asks_more_than_a_dozen_questions_or_one_of_each_engine(
    environment: pytest.MonkeyPatch,
    steered: Steered,
    opened: Opener,  # control lists the engines
) -> None:
    asked: dict[str, Heard] = {}
    for page in PAGES:
        view = inspect.getmodule(page.draw)
        assert view is not None
        heard: Heard = []
        with prometheus({}, heard) as url:
            environment.setenv("KVDECK_PROMETHEUS_URL", url)
            opened(view.__name__.rpartition(".")[2])
        asked[page.title] = heard
    assert {title: len(heard) for title, heard in asked.items() if len(heard) > MOST} == {}
    assert [query for heard in asked.values() for query in heard if any(f'"{engine}"' in query for engine in ENGINES)] == []
    assert all(asked[title] for title in ("Overview", "Cache", "DPD", "Routing"))
