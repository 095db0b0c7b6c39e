"""The page of pools and engines against the real control and something that plays Prometheus."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.views.engines import WINDOW
from stack.metrics import engine_queries
from stack.metrics.family import Label
from stack.metrics.promql import Pattern
from tests.dashboard.conftest import Opener
from tests.dashboard.fakes import Heard, Series, Steered, prometheus
from tests.dashboard.fleet.samples import labels

NAMED = Pattern("decode-0|decode-1|prefill-0")
BUSY: dict[str, list[Series]] = {
    engine_queries.pools(window=WINDOW).expr: [
        ({"model_name": "smollm2", "pool": "decode", "quantity": "used"}, 0.5),
        ({"model_name": "smollm2", "pool": "decode", "quantity": "generated"}, 120.0),
    ],
    engine_queries.listing().expr: [
        *((labels(name, "listed", version="0.32", emulated="true"), 2.0) for name in ("decode-0", "decode-1", "prefill-0")),
        *((labels(name, "health", state="ready"), 1.0) for name in ("decode-0", "decode-1")),
        (labels("prefill-0", "health", state="not_ready"), 1.0),
        ({"quantity": "unread", "target": "decode-1", "collector": "engines"}, 0.0),
    ],
    engine_queries.engines({Label.REPLICA: NAMED}, WINDOW).expr: [(labels("decode-0", "running", state="running"), 3.0)],
}


def rows(page: AppTest, number: int, *columns: str) -> Any:
    frame = page.dataframe[number].value
    return frame[list(columns)].astype(object).where(frame[list(columns)].notna(), None).to_dict("records")


@pytest.fixture
def busy(environment: pytest.MonkeyPatch) -> Any:
    heard: Heard = []
    with prometheus(BUSY, heard) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        yield heard


def test_pools_come_first_then_their_engines(opened: Opener, steered: Steered, busy: Heard) -> None:
    page = opened("engines")
    assert rows(page, 0, "pool", "in place", "desired", "ready", "KV used", "new tok/s", "L2 hits") == [
        {"pool": "smollm2 decode", "in place": 100, "desired": 2, "ready": 2, "KV used": 50, "new tok/s": 120, "L2 hits": None},
        {"pool": "smollm2 prefill", "in place": 100, "desired": 1, "ready": 1, "KV used": None, "new tok/s": None, "L2 hits": None},
    ]
    assert rows(page, 1, "engine", "state", "running", "version", "read") == [
        {"engine": "decode-1", "state": "ready", "running": None, "version": "0.32", "read": "failed: engines"},
        {"engine": "decode-0", "state": "ready", "running": 3, "version": "0.32", "read": "2 s ago"},
        {"engine": "prefill-0", "state": "ready", "running": None, "version": "0.32", "read": "2 s ago"},
    ]
    assert not page.exception


def test_without_control_prometheus_tells_all_it_knows(opened: Opener, environment: pytest.MonkeyPatch, busy: Heard) -> None:
    environment.setenv("KVDECK_CONTROL_URL", "")
    page = opened("engines")
    assert [info.value.partition(",")[0] for info in page.info] == ["This needs kvdeck's control"]
    assert rows(page, 0, "pool", "ready", "down", "desired") == [
        {"pool": "smollm2 decode", "ready": 2, "down": 0, "desired": None},
        {"pool": "smollm2 prefill", "ready": 0, "down": 1, "desired": None},
    ]
    assert [row["engine"] for row in rows(page, 1, "engine")] == ["prefill-0", "decode-1", "decode-0"]
    assert not page.exception


def test_prometheus_being_away_is_said_once_and_control_still_tells_engines(opened: Opener, steered: Steered) -> None:
    page = opened("engines")
    assert [error.value.partition(" at ")[0] for error in page.error] == ["Prometheus"]
    assert rows(page, 1, "engine", "state", "read", "running") == [
        {"engine": name, "state": "ready", "read": None, "running": None} for name in ("decode-0", "decode-1", "prefill-0")
    ]
    assert not page.exception


def test_everything_being_away_is_two_sentences(opened: Opener) -> None:
    page = opened("engines")
    assert [error.value.split()[0] for error in page.error] == ["Control", "Prometheus"]
    assert [info.value.partition(":")[0] for info in page.info] == ["No pool is known yet", "No engine is known yet."]
    assert not page.exception


def test_filters_narrow_the_engines_and_say_when_none_is_left(opened: Opener, steered: Steered, busy: Heard) -> None:
    page = opened("engines")
    page.selectbox(key="engines-pool").select("smollm2 prefill")
    page = page.run()
    assert [row["engine"] for row in rows(page, 1, "engine")] == ["prefill-0"]
    page.text_input(key="engines-text").set_value("decode")
    page = page.run()
    assert [info.value for info in page.info] == ["No engine is like that: the filters leave none."]


def test_a_page_asks_few_questions_however_many_engines_there_are(opened: Opener, steered: Steered, busy: Heard) -> None:
    opened("engines")
    assert len(busy) == 4, "pools, listing, engines, and what the pickers offer"
