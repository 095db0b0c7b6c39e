"""The Cache page against something that plays Prometheus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import reader
from dashboard.asking import Question
from dashboard.caching import engines
from dashboard.scope import Scope
from dashboard.views.cache import PARTS
from stack.api.assignments import patch
from stack.control.cache_effects import L1_BYTES
from stack.metrics.family import Label
from tests.dashboard.conftest import Opener
from tests.dashboard.drawn import changes, traces
from tests.dashboard.fakes import Heard, Series, Steered, prometheus

SCOPE = Scope(timedelta(minutes=15), 5, {})
ORIGINS, TIERS, LARGER = "Where KV came from", "Tiers", "A bigger L1?"
LOADING, STORES, ENGINES, UNTOLD = "Found and loaded", "L2", "Engines", "Not told"


def questions(part: str) -> Mapping[str, Question]:
    return PARTS[part].questions(SCOPE)


def answers(part: str, told: Mapping[str, Sequence[Series]]) -> dict[str, Sequence[Series]]:
    """What Prometheus says to each question of a part, by the question's name."""
    return {questions(part)[name].query.expr: series for name, series in told.items()}


def turned(page: AppTest, part: str) -> AppTest:
    page.segmented_control(key="cache-part").set_value(part)
    return page.run()


ARRIVED: Mapping[str, Sequence[Series]] = {
    "waterfall": [({"source": "engine"}, 80.0), ({"source": "unknown"}, 20.0)],
    "now": [({"source": "engine"}, 80.0), ({"source": "unknown"}, 20.0)],
    "unexplained": [({"replica": "decode-1", "version": "0.11.0"}, 20.0)],
}


def test_no_part_asks_more_than_twelve_questions() -> None:
    assert {part: count for part in PARTS if (count := len(questions(part))) > 12} == {}


def test_every_question_can_be_narrowed_to_a_fleet_and_a_model() -> None:
    narrow = Scope(timedelta(minutes=15), 5, {Label.MODEL_NAME: "m", Label.NAMESPACE: "ns", Label.CLUSTER: "c"})
    asked = {name: question.query.expr for part in PARTS.values() for name, question in part.questions(narrow).items()}
    assert [name for name, expression in asked.items() if expression.count("{") != expression.count('namespace="ns"')] == []


def test_a_part_of_which_nothing_is_told_says_so_and_draws_nothing(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    with prometheus({}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("cache")
        for part in PARTS:
            turned(page, part)
            assert not [*page.exception, *page.error, *page.get("plotly_chart")], part
            assert page.info, part


def test_prometheus_being_away_is_said_once_in_every_part(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    page = opened("cache")
    for part in PARTS:
        turned(page, part)
        assert [error.value.partition(": ")[0] for error in page.error] == ["Prometheus at http://127.0.0.1:9"], part
        assert not page.exception, part


def test_a_question_that_fails_takes_no_other_with_it(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    asked = {part: [question.query.expr for question in questions(part).values()] for part in PARTS}
    answered = {expressions[-1] for expressions in asked.values()}
    refused = {each for expressions in asked.values() for each in expressions} - answered
    with prometheus({}, refused=refused) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("cache")
        for part in PARTS:
            turned(page, part)
            assert not [*page.exception, *page.error], part
            assert page.warning[0].value.startswith("Unknown: Prometheus at "), part


def test_the_page_asks_only_for_the_part_that_is_looked_at(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    heard: Heard = []
    with prometheus({}, heard) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("cache")
        heard.clear()
        turned(page, TIERS)
    assert set(heard) >= {question.query.expr for question in questions(TIERS).values()}
    assert not set(heard) & {question.query.expr for question in questions(ORIGINS).values()} - {
        question.query.expr for question in questions(TIERS).values()
    }


def test_the_waterfall_adds_up_or_names_what_is_missing_and_why(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    silent = {"states": [({"quantity": "lmcache_l1_hit_tokens", "state": "absent"}, 1.0)]}
    with prometheus(answers(ORIGINS, {**ARRIVED, **silent})) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("cache")
    assert len(page.get("plotly_chart")) == 2
    assert page.warning[0].value == "To all but 20 %: of 20.0 tokens/s nobody says where their KV came from."
    said = " ".join(each.value for each in page.markdown)
    assert "Most of it at `decode-1` (vLLM 0.11.0)." in said
    assert "Why: 1 LMCache server without L1's hits apart from L2's" in said


def test_a_waterfall_without_a_rest_says_so(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    whole = {"now": [({"source": "engine"}, 80.0), ({"source": "l1"}, 20.0), ({"source": "unknown"}, 0.0)]}
    with prometheus(answers(ORIGINS, whole)) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("cache")
    assert page.success[0].value == "To all prompt tokens: each has a source."
    assert any(caption.value.startswith("l1 and l2 are estimates") for caption in page.caption)


def test_engines_outside_of_the_sum_are_named(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    with prometheus(answers(ORIGINS, {**ARRIVED, "untold": [({"replica": "decode-2"}, 1.0)]})) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("cache")
    assert page.warning[1].value == "Not in these numbers, since they tell no prompt tokens: `decode-2` (version unknown)."


def test_tiers_stand_side_by_side_and_what_is_unknown_has_a_reason(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    told: Mapping[str, Sequence[Series]] = {
        "hits now": [({"tier": "engine"}, 0.5), ({"tier": "l1"}, 0.25)],
        "held now": [({"tier": "l1", "quantity": "used"}, 2.0**30), ({"tier": "l1", "quantity": "capacity"}, 2.0**31)],
        "evictions now": [({"tier": "l1", "quantity": "chunks"}, 3.0), ({"tier": "l2", "quantity": "keys"}, 7.0)],
        "stays now": [({"tier": "l1", "event": "lifetime"}, 90.0), ({"tier": "l1", "event": "evict_reuse_gap"}, 600.0)],
    }
    with prometheus(answers(TIERS, told)) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = turned(opened("cache"), TIERS)
    frame = page.dataframe[0].value
    assert list(frame["tier"]) == ["engine (GPU)", "L1 (host)", "L2 (shared store)"]
    l1 = frame.iloc[1]
    assert (l1["hit ratio"], l1["used"], l1["capacity"], l1["evicted"]) == (25.0, "1 GiB", "2 GiB", "3 chunks/s")
    assert (l1["lived"], l1["asked for again after"]) == ("90.0 s", "10 min")
    assert frame.iloc[2]["evicted"] == "7 keys/s"
    assert frame.iloc[0][["used", "evicted", "lived"]].isna().all()
    assert any("--kv-cache-metrics" in caption.value for caption in page.caption)


def test_evictions_of_each_unit_have_a_chart_of_their_own(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    evicted = [({"tier": "engine", "quantity": "blocks"}, 9.0), ({"tier": "l1", "quantity": "chunks"}, 3.0)]
    with prometheus(answers(TIERS, {"evictions": evicted})) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = turned(opened("cache"), TIERS)
    assert len(page.get("plotly_chart")) == 2
    assert any(caption.value.startswith("keys/s: nobody tells") for caption in page.caption)


def test_several_fleets_have_rows_of_their_own(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    fleets = [({"tier": "l1", "cluster": name}, 0.25) for name in ("east", "west")]
    with prometheus(answers(TIERS, {"hits now": fleets})) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = turned(opened("cache"), TIERS)
    assert list(page.dataframe[0].value["fleet"]) == ["east", "west"]


def l1(replica: str, **numbers: float) -> list[Series]:
    return [({"replica": replica, "quantity": name}, number) for name, number in numbers.items()]


MISSING = l1(
    "lmcache-0", evicted=900.0, sampled=90.0, again=30.0, lived=100.0, gap=50.0, asked=4000.0, behind=1000.0, capacity=2.0**33
)
ROOMY = l1("lmcache-1", evicted=0.0, used=0.5, capacity=2.0**33)


def test_whether_a_bigger_l1_helps_is_answered_with_its_numbers_and_the_way_to_try_it(
    opened: Opener, environment: pytest.MonkeyPatch
) -> None:
    with prometheus(answers(LARGER, {"evidence": [*ROOMY, *MISSING], "places": [({}, 14.0)]})) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = turned(opened("cache"), LARGER)
    why = "33 % of what it evicted was asked for again, 50.0 s later on average: about 1.5 times its size would have kept it"
    assert page.warning[0].value == f"**Yes.** `lmcache-0`: {why}."
    frame = page.dataframe[0].value
    assert list(frame["bigger?"]) == ["yes", "no"]
    assert (frame.iloc[0]["L2 found instead"], frame.iloc[0]["size"]) == (25.0, "8 GiB")
    captions = [caption.value for caption in page.caption]
    assert captions[0] == "2 of 14 L1s, those that evict most."
    assert captions[1].startswith("To try it start the servers with about 12 GiB (LMCache: --l1-size-gb 12)")


def test_no_l1_needing_more_is_said_plainly_too(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    with prometheus(answers(LARGER, {"evidence": ROOMY})) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = turned(opened("cache"), LARGER)
    assert page.success[0].value == "**No.** `lmcache-1`: it evicted nothing, and is 50 % full."


def test_an_engine_that_loads_next_to_nothing_of_what_is_found_is_named(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    told: Mapping[str, Sequence[Series]] = {
        "engines now": [
            ({"replica": name, "quantity": quantity}, rate)
            for name, found, loaded in (("decode-0", 273.0, 5.0), ("decode-1", 100.0, 90.0))
            for quantity, rate in (("found", found), ("loaded", loaded))
        ],
        "doubts": [({"replica": "lmcache-1", "reason": "events_dropped"}, 1.0)],
    }
    with prometheus(answers(LOADING, told)) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = turned(opened("cache"), LOADING)
    assert page.error[0].value.startswith("`decode-0`: next to nothing of what LMCache finds is loaded")
    assert list(page.dataframe[0].value["engine"]) == ["decode-0", "decode-1"]
    assert page.warning[0].value.startswith("All numbers here are too low at `lmcache-1` (events_dropped)")


STORE = {"used": 2.0**30, "maxmemory": 2.0**31, "full": 0.5, "keys": 1200.0, "ping": 0.0007, "evicted": 3.0, "persists": 0.0}
BELIEVED: Mapping[str, Sequence[Series]] = {
    "stores": [({"replica": "valkey", "quantity": name}, value) for name, value in STORE.items()],
    "policies": [({"replica": "valkey", "policy": "allkeys-lru"}, 1.0)],
    "held": [({}, 0.5)],
    "believers": [({"replica": "lmcache-0"}, 2.0**30), ({"replica": "lmcache-1"}, 2.0**31)],
    "addresses": [({"state": "equal"}, 1.0), ({"state": "different"}, 1.0)],
    "strayed": [({"replica": "lmcache-1", "state": "different"}, 1.0)],
}


def test_the_store_and_what_is_believed_of_it_stand_side_by_side(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    with prometheus(answers(STORES, BELIEVED)) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = turned(opened("cache"), STORES)
    assert page.error[0].value.splitlines()[0] == "Another L2 is used than was meant by `--l2.expected-url`: `lmcache-1`."
    store = page.dataframe[0].value["valkey"]
    assert store[["maxmemory", "when full", "PING", "persistence"]].to_list() == ["2 GiB", "allkeys-lru", "1 ms", "broken"]
    assert store[["of them KV (estimate)", "up for"]].isna().all()
    beliefs = page.dataframe[1].value
    assert list(beliefs["LMCache"]) == ["lmcache-1", "lmcache-0"]
    assert beliefs.iloc[0]["its L2, against the one meant"] == "different"
    assert any(caption.value.endswith("1 different, 1 equal.") for caption in page.caption)


def test_an_l2_that_only_one_side_tells_of_is_unknown(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    with prometheus(answers(STORES, {"stores": BELIEVED["stores"]})) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = turned(opened("cache"), STORES)
    assert page.info[0].value.startswith("Whether L2 holds what LMCache believes is unknown")
    assert any("was told none (`--l2.expected-url`)" in caption.value for caption in page.caption)


def test_engines_are_a_map_of_the_worst_and_all_of_them_are_counted(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    told: Mapping[str, Sequence[Series]] = {
        "worst found in cache": [({"pool": "decode", "replica": "decode-0"}, 0.25)],
        "steps found in cache": [({"pool": "decode", "quantity": "2"}, 90.0), ({"pool": "decode", "quantity": "9"}, 900.0)],
        "untold": [({"replica": "decode-2"}, 1.0)],
        "counted": [({"quantity": "listed"}, 1000.0), ({"quantity": "share"}, 990.0)],
    }
    course = engines.course(SCOPE, engines.MEASURES["found in cache"], ["decode-0"]).query.expr
    heard: Heard = []
    with prometheus({**answers(ENGINES, told), course: [({"pool": "decode", "replica": "decode-0"}, 0.25)]}, heard) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = turned(opened("cache"), ENGINES)
        assert course in heard
        assert len(page.get("plotly_chart")) == 2
        said = "990 of 1000 engines tell it now; of 10 it is unknown, or there was no prompt. At most 24 are drawn one by one."
        assert said in [caption.value for caption in page.caption]
        page.segmented_control(key="cache-measure").set_value("cache used")
        page.run()
    assert not page.exception
    assert page.caption[-2].value == "Nothing to spread: no engine tells it now."


def test_what_is_not_told_has_its_reason(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    told: Mapping[str, Sequence[Series]] = {
        "states": [
            ({"quantity": "prefix_cache_hit_tokens", "state": "renamed"}, 2.0),
            ({"quantity": "block_lifetime", "state": "absent"}, 4.0),
            ({"quantity": "time_to_first_token", "state": "hidden"}, 1.0),
        ],
        "unread": [({"collector": "lmcache", "target": "lmcache-0"}, 0.0)],
        "modes": [({"mode": "multi_process"}, 2.0), ({"mode": "silent"}, 1.0)],
    }
    with prometheus(answers(UNTOLD, told)) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = turned(opened("cache"), UNTOLD)
    assert page.error[0].value.startswith("The exporter cannot read `lmcache-0` (lmcache)")
    assert page.dataframe[0].value[["quantity", "because"]].to_numpy().tolist() == [
        ["block_lifetime", "told with --kv-cache-metrics only"],
        ["time_to_first_token", "this version shows it only with --show-hidden-metrics-for-version"],
        ["prefix_cache_hit_tokens", "told under an older name: nothing is lost"],
    ]
    assert page.caption[0].value.startswith("LMCaches that are read: 2 multi process, 1 silent.")


def test_the_link_to_control_sets_what_control_can_set() -> None:
    assert patch([f"{L1_BYTES}={12 * 2**30}"], {}, "m") == {"tiers": {"l1": {"bytes": 12 * 2**30}}}


def test_the_map_is_of_the_worst_and_not_of_their_namesakes_elsewhere_and_has_the_marks(
    opened: Opener, steered: Steered, environment: pytest.MonkeyPatch
) -> None:
    steered.patch({"models": {"smollm2": {"strategy": "session"}}})
    environment.setattr(reader, "SLOT_SECONDS", 0.001)  # what was changed just now is within what is looked at
    east, west = ({"pool": "decode", "replica": "decode-0", "cluster": name} for name in ("east", "west"))
    course = engines.course(SCOPE, engines.MEASURES["found in cache"], ["decode-0"]).query.expr
    told: Mapping[str, Sequence[Series]] = {"worst found in cache": [(east, 0.25)]}
    with prometheus({**answers(ENGINES, told), course: [(east, 0.25), (west, 0.75)]}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = turned(opened("cache"), ENGINES)
    assert [trace["y"] for trace in traces(page, "cache-heat-share") if trace["type"] == "heatmap"][-1] == ["decode decode-0"]
    assert "session" in changes(page, "cache-heat-share")[-1]
    assert not page.exception
