"""The Routing page against the real control and something that plays Prometheus."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import reader
from stack.control.decision import Candidate, DecisionRecord, Selection, ShadowChoice
from stack.metrics import alert_queries, balance_queries, quality_queries, routing_queries
from stack.metrics.balance_queries import HELD, LEAST, MEAN, WAITING
from tests import decisions
from tests.dashboard.conftest import PAST, Opener
from tests.dashboard.drawn import changes
from tests.dashboard.fakes import Heard, Series, Steered, prometheus
from tests.dashboard.reading import read

MOST_QUESTIONS = 12


def decision(ago: float = 1.0, **fields: Any) -> DecisionRecord:
    """Within the range that is looked at first."""
    return decisions.decision(at=time.time() - ago, **fields)


def disaggregated(ago: float = 1.0, **fields: Any) -> DecisionRecord:
    return decisions.disaggregated(at=time.time() - ago, **fields)


def listed(page: AppTest) -> list[tuple[str, str, str]]:
    frame = page.dataframe[0].value[["path", "prefill engine", "engine"]].fillna("")
    return [(row["path"], row["prefill engine"], row["engine"]) for row in frame.to_dict("records")]


def said(page: AppTest) -> str:
    return " ".join(part.value for part in (*page.markdown, *page.caption))


@contextmanager
def told(environment: pytest.MonkeyPatch, answers: Mapping[str, Sequence[Series]], heard: Heard | None = None) -> Iterator[None]:
    with prometheus(answers, heard) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        yield


def _load(state: str, value: float, **labels: str) -> Series:
    return {"model_name": "smollm2", "pool": "decode", "state": state, **labels}, value


PRESSED = [
    _load(HELD, 9.0, replica="decode-1"),
    _load(WAITING, 6.0, replica="decode-1"),
    _load(MEAN, 4.5),
    _load(LEAST, 0.25),
]
BUSY: Mapping[str, Sequence[Series]] = {
    balance_queries.pressure().expr: PRESSED,
    balance_queries.work().expr: [_load(HELD, 300.0, replica="decode-1"), _load(MEAN, 150.0)],
    quality_queries.fallback_shares(window="10m").expr: [({"reason": "retry_budget"}, 0.125)],
    alert_queries.active().expr: [({"alertname": "KvdeckHotspot"}, 1.0)],
    routing_queries.flow(window="900s").expr: [
        ({"model_name": "smollm2", "strategy": "kv_aware", "path": "direct", "backend": "decode-0"}, 7.0)
    ],
    quality_queries.records_dropped(window="900s").expr: [({}, 4.0)],
    quality_queries.regret(window="60s").expr: [({"strategy": "kv_aware"}, 12.0)],
    quality_queries.index_error(window="60s").expr: [({"strategy": "kv_aware", "state": "as predicted"}, 0.9)],
    quality_queries.ttft_error(window="60s").expr: [({"strategy": "kv_aware", "state": "late"}, 0.1)],
    quality_queries.agreement(window="60s").expr: [({"strategy": "session"}, 0.5)],
    routing_queries.fallbacks(window="60s").expr: [({"reason": "retry_budget"}, 0.5)],
    routing_queries.decision_reasons(window="60s").expr: [({"strategy": "kv_aware", "reason": "most_cached"}, 2.0)],
}
MIRRORED: Mapping[str, Sequence[Series]] = {
    quality_queries.observed(window="60s").expr: [({"strategy": "kv_aware", "path": "direct"}, 3.0)],
    quality_queries.observed_hits(window="60s").expr: [({"strategy": "kv_aware"}, 0.75), ({"strategy": "session"}, 0.5)],
}


def test_the_flow_is_drawn_of_recent_decisions(opened: Opener, steered: Steered, environment: pytest.MonkeyPatch) -> None:
    steered.report(decision(), disaggregated())
    with told(environment, BUSY):
        page = opened("routing")
    assert len(page.get("plotly_chart")) == 1
    assert "Strategy, path, engines: 2 requests" in said(page)
    assert page.success[0].value == "None of these 2 requests needed a fallback."
    assert not page.exception


def test_hotspots_and_fallbacks_are_told_with_the_bounds_of_the_alerts(
    opened: Opener, steered: Steered, environment: pytest.MonkeyPatch
) -> None:
    with told(environment, BUSY):
        page = opened("routing")
    assert [read(warning.value) for warning in page.warning] == [
        "12 % were not served as configured, more than the 10 % beyond which KvdeckRoutingFallbacks fires.",
        "**Hotspot: decode-1.** For ten minutes more than 4 requests wait at one engine while another of its pool has fewer "
        "than 1. KvdeckHotspot fires.",
    ]
    hottest = page.dataframe[-1].value.iloc[0]
    assert hottest[["engine", "requests", "of the mean", "of the mean rate"]].tolist() == ["decode-1", 9.0, 2.0, 2.0]


def test_without_control_the_flow_is_what_routers_counted(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    environment.setenv("KVDECK_CONTROL_URL", "")
    heard: Heard = []
    with told(environment, BUSY, heard):
        page = opened("routing")
        assert len(heard) <= MOST_QUESTIONS
        assert "Strategy, path, decode engine: 7 requests" in said(page)
        assert "This needs kvdeck's control" in page.info[0].value
        assert page.warning[0].value.startswith("Routers dropped 4 decision records in this range")
        page.segmented_control(key="routing-view").set_value("Decisions")
        assert "This needs kvdeck's control" in page.run().info[0].value
    assert not page.exception


def test_of_hours_that_are_held_the_flow_is_what_routers_counted(
    opened: Opener, steered: Steered, environment: pytest.MonkeyPatch
) -> None:
    steered.report(decision(), disaggregated())
    with told(environment, BUSY):
        page = opened("routing", PAST)
    assert "Strategy, path, decode engine: 7 requests" in said(page)
    assert not page.exception


def test_quality_over_time_needs_no_control(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    environment.setenv("KVDECK_CONTROL_URL", "")
    heard: Heard = []
    with told(environment, BUSY, heard):
        page = opened("routing", {"routing-view": "Quality"})
    assert len(heard) <= MOST_QUESTIONS
    assert len(page.get("plotly_chart")) == 6
    assert [page.error.values, page.info.values] == [[], []]
    assert not page.exception


def test_what_nobody_measured_is_told_panel_by_panel(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    with told(environment, {}):
        page = opened("routing", {"routing-view": "Quality"})
    assert [info.value for info in page.info] == [
        "Nothing to measure in this range.",
        "No other strategy decided along in this range: `shadow_share` says on how many requests they do.",
        "No fallback was counted in this range.",
        "Nothing to measure in this range.",
        "Nothing to measure in this range.",
        "Nothing to measure in this range.",
    ]
    assert "none came, so nothing is known of fallbacks" in said(page)


def test_requests_that_another_gateway_carries_out_are_marked(
    opened: Opener, steered: Steered, environment: pytest.MonkeyPatch
) -> None:
    steered.report(decision(observed=True, request_id="r-o"))
    steered.patch({"models": {"smollm2": {"strategy": "session"}}})
    environment.setattr(reader, "SLOT_SECONDS", 0.001)  # what was changed just now is within what is looked at
    with told(environment, MIRRORED):
        page = opened("routing")
        assert "session" in changes(page, "Mirrored requests")[0]
        assert any("Another gateway carries requests out" in info.value for info in page.info)
        assert len(page.get("plotly_chart")) == 2
        page.segmented_control(key="routing-view").set_value("Quality")
        assert "**Cached tokens of mirrored requests, by strategy**" in said(page.run())
        page.segmented_control(key="routing-view").set_value("Decisions")
        assert listed(page.run()) == [("direct, observed", "", "decode-0")]
        page.text_input(key="routing-request").set_value("r-o")
        page.run()
    assert "this is what would have been done here" in said(page)
    assert "As predicted?" not in said(page)


def test_sources_that_are_away_are_said_to_be_and_are_no_stack_trace(opened: Opener) -> None:
    page = opened("routing")
    assert [error.value.split()[0] for error in page.error] == ["Control", "Prometheus"]
    for view in ("Decisions", "Quality"):
        page.segmented_control(key="routing-view").set_value(view)
        assert page.run().error
        assert not page.exception


def test_recent_decisions_are_listed_newest_first(opened: Opener, steered: Steered) -> None:
    steered.report(decision(ago=2), disaggregated(ttft_seconds=0.25, tokens_exact=False, request_id="r-9"))
    page = opened("routing", {"routing-view": "Decisions"})
    assert listed(page) == [("dpd", "prefill-0", "decode-0"), ("direct", "", "decode-0")]
    newest = page.dataframe[0].value.iloc[0]
    assert (newest["TTFT"], newest["prompt tokens"], newest["path because"]) == (250.0, "~1533", "at_threshold")
    assert newest["link"].endswith("?routing-request=r-9")
    unknown = ["cached tokens", "expected", "TTFT", "total"]
    assert page.dataframe[0].value.iloc[1][unknown].isna().all()


def test_it_is_said_of_how_many_decisions_from_when_to_when_the_flow_is(opened: Opener, steered: Steered) -> None:
    at = time.time()
    steered.report(*(decisions.decision(request_id=f"r-{number}", at=at - number) for number in reversed(range(120))))
    page = opened("routing")
    form = "%H:%M:%S"
    first, last = (time.strftime(form, time.gmtime(at - ago)) for ago in (99, 0))
    assert any(
        text.value.startswith(
            f"The newest 100 requests of this range, from {first} to {last}, not the whole of it: up to 500 are to be had"
        )
        for text in page.caption
    )
    page = opened("routing", {"routing-last": "500"})
    first = time.strftime(form, time.gmtime(at - 119))
    assert any(text.value.startswith(f"120 requests of this range, from {first} to {last}") for text in page.caption)


def test_fallbacks_are_told_with_their_reasons(opened: Opener, steered: Steered, environment: pytest.MonkeyPatch) -> None:
    lost = ("no_ready_prefill_engine",)
    steered.report(decision(fallbacks=lost), decision(fallbacks=lost), decision())
    with told(environment, {}):
        page = opened("routing")
        assert page.warning[0].value == "Not served the way the configuration asks for: 2 x `no_ready_prefill_engine`."
        page.selectbox(key="routing-fallback").set_value("any")
        assert "Strategy, path, engines: 2 requests" in said(page.run())
    assert page.selectbox(key="routing-fallback").options == ["any", "no_ready_prefill_engine"]


def test_a_link_narrows_decisions_and_the_page_says_to_what(opened: Opener, steered: Steered) -> None:
    steered.report(decision(engine="decode-1"), decision(), disaggregated())
    page = opened("routing", {"routing-view": "Decisions", "routing-engine": "decode-1", "routing-path": "direct"})
    assert listed(page) == [("direct", "", "decode-1")]
    assert "direct, decode-1" in [read(popover.proto.popover.label) for popover in page.get("popover")]
    nobody = opened("routing", {"routing-view": "Decisions", "routing-engine": "decode-9"})
    assert nobody.info[0].value == "No request in this range went this way."


def test_decisions_are_those_of_the_toolbars_range_and_model(opened: Opener, steered: Steered) -> None:
    steered.report(decision(ago=1000, engine="decode-1"), decision(), decision(model="other", engine="other-0"))
    page = opened("routing", {"routing-view": "Decisions", "model": "smollm2"})
    assert listed(page) == [("direct", "", "decode-0")]
    page.segmented_control(key="range").set_value("1h")
    assert listed(page.run()) == [("direct", "", "decode-0"), ("direct", "", "decode-1")]
    assert "Control remembers 3 decisions, back to" in said(page)


def test_no_request_yet_says_how_to_send_one(opened: Opener, steered: Steered) -> None:
    assert "kvdeck start traffic" in opened("routing", {"routing-view": "Decisions"}).info[0].value


def test_lost_records_are_told(opened: Opener, steered: Steered) -> None:
    steered.report(decision(), dropped=3)
    page = opened("routing", {"routing-view": "Decisions"})
    assert page.warning[0].value == "3 records were dropped on the way: the picture is incomplete."


CHOSEN = Selection(
    strategy="kv_aware",
    engine="decode-1",
    reason="most_cached",
    expected_cached_tokens=176,
    predicted_ttft_seconds=0.25,
    ranked_by="ttft_s",
    candidates=(
        Candidate(engine="decode-1", in_flight=2, cached_tokens=176, scores={"ttft_s": 0.25, "queue_s": 0.125, "compute_s": 0.125}),
        Candidate(engine="decode-0", cached_tokens=16, doubts=("l2: evictions",)),
    ),
    omitted=3,
)


def explained(ago: float = 1.0) -> DecisionRecord:
    shadow = ShadowChoice(strategy="session", engine="decode-0", reason="session_home", agrees=False, gained_tokens=-160)
    return decision(
        ago=ago,
        request_id="r-7",
        compared="181 < 512",
        decode=CHOSEN,
        engine="decode-1",
        cached_tokens=160,
        index_error_tokens=16,
        engine_ttft_seconds=0.2,
        ttft_error_seconds=0.05,
        total_seconds=0.5,
        phases={"router": 0.1, "prefill": 0.2, "decode": 0.2},
        shadows=(shadow,),
    )


def test_a_link_opens_the_decision_that_it_names(opened: Opener, steered: Steered) -> None:
    steered.report(explained(), decision())
    page = opened("routing", {"routing-request": "r-7"})
    words = said(page)
    assert "the prompt is shorter than the threshold (181 < 512)" in words
    assert "**Decode candidates**, best first by `ttft_s`, and 3 others" in words
    assert "**Where its time went**: 500 ms in all" in words
    assert {one.label: one.value for one in page.metric} == {
        "Regret": "unknown", "Index error": "16 tokens", "TTFT error": "+50 ms", "TTFT": "unknown",
    }  # fmt: skip
    assert len(page.get("plotly_chart")) == 6  # waits, cached, in flight; cached and first token as predicted; phases
    tables = [frame.value for frame in page.dataframe]
    numbers = next(table for table in tables if "in flight" in table)
    assert numbers["not known"].tolist()[1] == "l2: evictions"
    others = next(table for table in tables if "because" in table)
    assert others[["strategy", "engine", "more cached tokens"]].values.tolist() == [["session", "decode-0", -160]]
    assert page.code[0].value.endswith("?routing-request=r-7")
    assert not page.exception


def test_the_explained_decision_stays_when_the_list_has_moved_on(opened: Opener, steered: Steered) -> None:
    steered.report(explained(ago=10))
    page = opened("routing", {"routing-request": "r-7"})
    steered.report(*(decision(request_id=f"r-{100 + number}", ago=0) for number in range(3)))
    assert "the prompt is shorter than the threshold" in said(page.run())
    assert page.dataframe[0].value[""].tolist() == ["", "", "", "\N{BLACK RIGHT-POINTING TRIANGLE}"]  # where its row is now
    page.button(key="explanation close").click()
    page.run()
    assert "threshold (181" not in said(page)
    assert not any(page.dataframe[0].value[""])


def test_a_decision_that_is_gone_is_said_to_be(opened: Opener, steered: Steered) -> None:
    steered.report(decision())
    page = opened("routing", {"routing-request": "r-8"})
    assert page.info[0].value.startswith("no decision 'r-8' is kept: the last 1 are, back to")


def test_a_request_that_is_typed_in_leads_to_the_decisions(
    opened: Opener, steered: Steered, environment: pytest.MonkeyPatch
) -> None:
    steered.report(explained())
    with told(environment, {}):
        page = opened("routing")
        page.text_input(key="routing-request").set_value("r-7")
        page.run()
    assert page.segmented_control(key="routing-view").value == "Decisions"
    assert "threshold (181 < 512)" in said(page)
