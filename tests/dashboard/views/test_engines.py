"""The page of pools and engines against the real control and something that plays Prometheus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.views.engines import WINDOW
from stack.control.access import Role
from stack.control.mode import Mode, Stance
from stack.control.state import REPLICAS_MAX
from stack.metrics import engine_queries
from stack.metrics.family import Label
from stack.metrics.promql import one_of
from tests.dashboard.conftest import PAST, Opener
from tests.dashboard.fakes import EmulatedFleet, Heard, Series, Steered, prometheus
from tests.dashboard.fleet.samples import labels
from tests.dashboard.reading import read
from tests.grants import grant
from tests.stack.api.deck import running
from tests.stack.control.samples import desired

NAMED = one_of(["decode-0", "decode-1", "prefill-0"])
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


def test_an_engine_whatever_its_name_is_asked_for_by_that_name_alone(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    name, heard = "decode-.*|a(b", Heard()
    with prometheus({engine_queries.listing().expr: [(labels(name, "listed"), 2.0)]}, heard) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        opened("engines")
    assert engine_queries.engines({Label.REPLICA: one_of([name])}, WINDOW).expr in heard


def test_without_control_prometheus_tells_all_it_knows(opened: Opener, environment: pytest.MonkeyPatch, busy: Heard) -> None:
    environment.setenv("KVDECK_CONTROL_URL", "")
    page = opened("engines")
    assert [info.value.partition(",")[0] for info in page.info] == [
        "This needs kvdeck's control",
        "Nobody told of engines in this range.",
    ]
    assert rows(page, 0, "pool", "ready", "down", "desired") == [
        {"pool": "smollm2 decode", "ready": 2, "down": 0, "desired": None},
        {"pool": "smollm2 prefill", "ready": 0, "down": 1, "desired": None},
    ]
    assert [row["engine"] for row in rows(page, 1, "engine")] == ["prefill-0", "decode-1", "decode-0"]
    assert not page.exception


def test_of_hours_that_are_held_engines_are_what_prometheus_told_then(opened: Opener, steered: Steered, busy: Heard) -> None:
    page = opened("engines", PAST)
    assert [row["ready"] for row in rows(page, 0, "ready")] == [2, 0]
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
    assert [info.value for info in page.info] == [
        "No engine is like that: the filters leave none.",
        "Nobody told of engines in this range.",
    ]


def test_a_page_asks_few_questions_however_many_engines_there_are(opened: Opener, steered: Steered, busy: Heard) -> None:
    opened("engines")
    assert len(busy) == 6, "pools, listing, engines, their course, who came and went, and what the pickers offer"


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if read(button.label) == label).click()
    return page.run()


def typed(page: AppTest, label: str, text: str) -> AppTest:
    next(field for field in page.text_input if label in field.label).set_value(text)
    return page.run()


def drained(control: Steered) -> list[str]:
    names: list[str] = httpx.get(f"{control.url}/v1/state").json()["desired"]["models"]["smollm2"]["pools"]["decode"]["drained"]
    return names


def previewed(page: AppTest) -> list[list[str]]:
    """Field by field, before and after."""
    (table,) = (one.value for one in page.dataframe if "before" in one.value)
    found: list[list[str]] = table[["field", "before", "after"]].values.tolist()
    return found


def test_an_engine_is_drained_and_given_requests_again(opened: Opener, steered: Steered) -> None:
    page = press(opened("engines", {"engines-engine": "decode-1"}), "Drain decode-1")
    field = "models.smollm2.pools.decode.drained"
    assert [field, "none", "decode-1"] in previewed(page)
    page = typed(page, "Why", "a memory fault")
    page = press(typed(page, "Type", "smollm2"), "Apply")
    assert drained(steered) == ["decode-1"]
    record = httpx.get(f"{steered.url}/v1/audit").json()["records"][0]
    assert (record["comment"], record["outcome"]) == ("a memory fault", "applied")
    page = press(page, "Give decode-1 requests again")
    assert [field, "decode-1", "none"] in previewed(page)
    page = press(page, "Apply")
    assert drained(steered) == []
    assert not page.exception


def test_the_last_decode_engine_is_kept_in_controls_words(opened: Opener, steered: Steered) -> None:
    steered.patch({"models": {"smollm2": {"pools": {"decode": {"drained": ["decode-1"]}}}}})
    steered.settle()
    page = press(opened("engines", {"engines-engine": "decode-0"}), "Drain decode-0")
    assert [error.value for error in page.error if "Refused" in error.value] == [
        "Refused (`models.smollm2.pools.decode.drained`): with decode-0 out of rotation 0 of 2 decode engines would be "
        "ready: keep one, or add one first"
    ]
    assert "Apply" not in [button.label for button in page.button]


def test_a_pool_is_scaled_within_its_bounds(opened: Opener, steered: Steered) -> None:
    page = opened("engines", {"engines-pool": "smollm2 decode"})
    (size,) = page.number_input
    assert (read(size.label), size.value, size.min, size.max) == ("Engines of smollm2 decode", 2, 0, REPLICAS_MAX)
    size.set_value(3)
    page = press(press(page.run(), "Preview the size"), "Apply")
    steered.settle()
    for kept in ("state read", "audit read"):  # as they are after two seconds
        del page.session_state[kept]
    page = page.run()
    assert rows(page, 0, "pool", "desired", "ready", "joining")[0] == {
        "pool": "smollm2 decode", "desired": 3, "ready": 2, "joining": 1,
    }  # fmt: skip
    assert "decode-2 start" in rows(page, len(page.dataframe) - 1, "what")[0]["what"]
    assert not page.exception


def test_a_browser_is_told_what_a_size_starts_at_and_what_is_clicked_meanwhile_stays(opened: Opener, steered: Steered) -> None:
    (size,) = opened("engines", {"engines-pool": "smollm2 decode"}).number_input
    assert (size.proto.default, size.proto.set_value) == (2, False)


def test_a_size_that_the_bounds_no_longer_allow_is_that_which_is_desired(opened: Opener, steered: Steered) -> None:
    page = opened("engines", {"engines-pool": "smollm2 decode"})
    page.number_input[0].set_value(9)
    steered.patch({"models": {"smollm2": {"pools": {"decode": {"bounds": {"max": 4}}}}}})
    del page.session_state["state read"]
    (size,) = page.run().number_input
    assert (size.value, size.max) == (2, 4)
    assert not page.exception


def test_where_control_only_observes_a_preview_is_all(opened: Opener, environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    control = Steered(tmp_path, EmulatedFleet(running("decode-0", "decode-1").engines), desired(), stance=Stance(Mode.OBSERVE))
    try:
        environment.setenv("KVDECK_CONTROL_URL", control.url)
        page = press(opened("engines", {"engines-engine": "decode-1"}), "Drain decode-1")
        assert "Control only observes: nothing can be changed here, previews work." in [info.value for info in page.info]
        assert next(button for button in page.button if button.label == "Apply").disabled
    finally:
        control.stop()


def test_an_engine_is_looked_at_closely_and_what_it_does_not_tell_is_said(
    opened: Opener, steered: Steered, busy: Heard, environment: pytest.MonkeyPatch
) -> None:
    page = opened("engines", {"engines-engine": "decode-0"})
    assert "No alert that people are told of names it." in [caption.value for caption in page.caption]
    assert any(caption.value.startswith("Not told of it in this range: in flight, running") for caption in page.caption)
    assert not page.exception


def test_an_engine_that_nobody_knows_is_said_to_be_gone(opened: Opener, steered: Steered, busy: Heard) -> None:
    page = opened("engines", {"engines-engine": "decode-77"})
    assert "Nobody knows an engine `decode-77` now: it left, or its name is another one." in [info.value for info in page.info]


def test_a_viewer_sees_no_live_buttons_and_why(opened: Opener, environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fleet = EmulatedFleet(running("decode-0", "decode-1").engines)
    control = Steered(tmp_path / "control", fleet, desired(), "root", others=(grant("bob", Role.VIEWER),))
    try:
        (tmp_path / "token").write_text("bob")
        environment.setenv("KVDECK_CONTROL_TOKEN_FILE", str(tmp_path / "token"))
        environment.setenv("KVDECK_CONTROL_URL", control.url)
        page = opened("engines", {"engines-engine": "decode-1", "engines-pool": "smollm2 decode"})
        assert "bob is a viewer and looks only: an operator may drain and scale here." in [info.value for info in page.info]
        assert not page.button
        assert not page.number_input
    finally:
        control.stop()


def test_of_a_thousand_engines_the_worst_off_are_shown(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    environment.setenv("KVDECK_CONTROL_URL", "")
    names = [f"decode-{number}" for number in range(1000)]
    told: list[Series] = [(labels(name, "listed", version="0.32", emulated="true"), 2.0) for name in names]
    told += [(labels(name, "health", state="not_ready" if name == "decode-777" else "ready"), 1.0) for name in names]
    with prometheus({engine_queries.listing().expr: told}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("engines")
    assert rows(page, 0, "pool", "ready", "down") == [{"pool": "smollm2 decode", "ready": 999, "down": 1}]
    shown = rows(page, 1, "engine", "state")
    assert (len(shown), shown[0]) == (50, {"engine": "decode-777", "state": "down"})
    assert "The 50 worst off of 1,000 engines." in page.caption[1].value


def test_engines_of_two_clusters_are_told_apart_and_control_has_no_word_on_which_is_its(
    opened: Opener, steered: Steered, environment: pytest.MonkeyPatch
) -> None:
    told: list[Series] = []
    for cluster, version in (("east", "0.32"), ("west", "0.31")):
        told.append((labels("decode-0", "listed", version=version, cluster=cluster), 2.0))
        told.append((labels("decode-0", "health", state="ready", cluster=cluster), 1.0))
    with prometheus({engine_queries.listing().expr: told, _closely("decode-0"): told}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("engines", {"engine": "decode-0"})
    shown = {(row["engine"], row["where"], row["version"]) for row in rows(page, 1, "engine", "where", "version")}
    assert shown == {
        ("decode-0", "east", "0.32"), ("decode-0", "west", "0.31"), ("decode-1", "", None), ("prefill-0", "", None),
    }  # fmt: skip
    assert "Several have an engine of this name: pick one above. Seen: east, west." in [info.value for info in page.info]
    assert not page.exception


def _closely(name: str) -> str:
    return engine_queries.listing({Label.REPLICA: name}).expr
