"""The DPD page against the real control and something that plays Prometheus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.scope import Scope
from dashboard.views.dpd import PARTS, THRESHOLD
from stack.control.decision import Candidate, Selection
from stack.control.mode import Mode, Stance
from stack.control.state import Desired
from stack.metrics.family import Label
from tests.dashboard.conftest import Opener
from tests.dashboard.drawn import traces
from tests.dashboard.fakes import EmulatedFleet, Series, Steered, prometheus
from tests.decisions import decision, disaggregated
from tests.stack.api.deck import running
from tests.stack.control.samples import desired, model

SCOPE = Scope(timedelta(minutes=15), 5, {})
LOAD, ACROSS = "Load and advice", "Time and transfers"
MOVED: Mapping[str, Sequence[Series]] = {
    "phases": [({"path": "dpd", "phase": "prefill"}, 0.4), ({"path": "dpd", "phase": "decode"}, 1.0)],
    "phases now": [({"path": "dpd", "phase": "prefill"}, 0.4), ({"path": "dpd", "phase": "decode"}, 1.0)],
    "bandwidth": [({"transport": "nixl"}, 2e9)],
    "failures": [({"transport": "nixl", "reason": "expired"}, 0.01)],
    "failed": [({"transport": "nixl", "reason": "expired"}, 3.0), ({"transport": "nixl", "reason": "transfer"}, 0.0)],
    "links": [({"quantity": "limit"}, 12.5e9), ({"quantity": "moved"}, 2e9), ({"quantity": "fabric"}, 2e9)],
}


def pressure(pool: str, **quantities: float) -> list[Series]:
    return [({"model_name": "smollm2", "pool": pool, "quantity": name}, value) for name, value in quantities.items()]


PRESSED: Mapping[str, Sequence[Series]] = {
    "pressure": [
        *pressure("prefill", engines=1, waiting=3.0, running=1.0, busy=0.97, used=0.2, computed=900.0, queue=2.0, prefill=0.5),
        *pressure("decode", engines=2, waiting=0.0, running=1.5, busy=0.5, used=0.1, generated=80.0),
    ],
    "course": [*pressure("prefill", waiting=3.0, used=0.2), *pressure("decode", waiting=0.0, used=0.1)],
    "on its way": [({}, 1.2e9)],
}


def said(elements: Any) -> list[str]:
    return [element.value for element in elements]


def figures(page: AppTest) -> dict[str, tuple[str, str]]:
    return {metric.label: (metric.value, metric.delta) for metric in page.metric}


def turned(page: AppTest, part: str) -> AppTest:
    page.segmented_control(key="dpd-part").set_value(part)
    return page.run()


def thresholds(opened: Opener) -> AppTest:
    return turned(opened("dpd"), THRESHOLD)


def answers(part: str, told: Mapping[str, Sequence[Series]]) -> dict[str, Sequence[Series]]:
    """What Prometheus says to each question of a part, by the question's name."""
    return {PARTS[part].questions(SCOPE)[name].query.expr: series for name, series in told.items()}


def slide(page: AppTest, key: str, value: int) -> AppTest:
    page.select_slider(key=key).set_value(value)
    return page.run()


def press(page: AppTest, key: str) -> AppTest:
    page.button(key=key).click()
    return page.run()


def dpd(control: Steered) -> dict[str, Any]:
    told: dict[str, Any] = httpx.get(f"{control.url}/v1/state").json()["desired"]["models"]["smollm2"]["dpd"]
    return told


def remembered(control: Steered) -> None:
    held = Selection(
        strategy="kv_aware", engine="decode-0", reason="r", candidates=(Candidate(engine="decode-0", cached_tokens=2_100),)
    )
    control.report(
        decision(at=1.0), decision(at=2.0), disaggregated(at=3.0), disaggregated(at=5.0, prompt_tokens=2_200, decode=held)
    )


def test_no_part_asks_more_than_ten_questions() -> None:
    """The toolbar asks one, the mark of emulated fleets another."""
    assert {part: count for part in PARTS if (count := len(PARTS[part].questions(SCOPE))) > 10} == {}


def test_every_question_can_be_narrowed_to_a_fleet_and_a_model() -> None:
    narrow = Scope(timedelta(minutes=15), 5, {Label.MODEL_NAME: "m", Label.NAMESPACE: "ns", Label.CLUSTER: "c"})
    asked = {name: question.query.expr for part in PARTS.values() for name, question in part.questions(narrow).items()}
    assert [name for name, expression in asked.items() if expression.count("{") != expression.count('cluster="c"')] == []


def test_a_part_of_which_nothing_is_told_says_so_and_draws_nothing(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    with prometheus({}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("dpd")
        for part in PARTS:
            turned(page, part)
            assert not [*page.exception, *page.error, *page.get("plotly_chart")], part
            assert page.info, part


def test_prometheus_being_away_is_said_once(opened: Opener) -> None:
    page = turned(opened("dpd"), ACROSS)
    assert len([words for words in said(page.error) if words.startswith("Prometheus")]) == 1
    assert not page.exception


def test_phases_add_up_and_transfers_stand_against_the_link(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    with prometheus(answers(ACROSS, MOVED)) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = turned(opened("dpd"), ACROSS)
        assert len(page.get("plotly_chart")) == 4  # bars, the disaggregated path over time, bandwidth, failures
        assert "No request took the direct path in this range." in said(page.info)
        assert "100 Gbit/s is what the slowest node's links carry together, as its exporter tells." in said(page.caption)
        assert page.dataframe[0].value[["kind", "fate", "count"]].to_dict("records") == [
            {"kind": "expired", "fate": "lost", "count": "3"}
        ]
        page.number_input(key="dpd-link").set_value(400.0)
        assert "The link's limit is as given above: 400 Gbit/s." in said(page.run().caption)
        assert not page.exception


def test_means_of_several_fleets_are_not_added_up(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    fleets = [({"path": "dpd", "phase": "decode", "namespace": name}, 1.0) for name in ("a", "b")]
    with prometheus(answers(ACROSS, {"phases": fleets, "phases now": fleets})) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = turned(opened("dpd"), ACROSS)
    assert "Means of several fleets do not add up: pick a cluster or namespace above. Seen: a, b." in said(page.info)


def test_phases_of_several_models_are_told_apart_and_over_time_one_is_to_be_picked(
    opened: Opener, environment: pytest.MonkeyPatch
) -> None:
    both = [({"path": "dpd", "phase": "decode", "model_name": name}, value) for name, value in (("a", 1.0), ("b", 3.0))]
    with prometheus(answers(ACROSS, {"phases": both, "phases now": both})) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = turned(opened("dpd"), ACROSS)
    (bar,) = traces(page, "phases now")
    assert (bar["y"], bar["x"]) == (["a disaggregated", "b disaggregated"], [1.0, 3.0])
    assert "Over time the means of several models do not add up: pick one above. Seen: a, b." in said(page.info)
    assert not page.exception


def test_an_advice_shows_its_evidence_and_the_way_there(opened: Opener, steered: Steered, environment: pytest.MonkeyPatch) -> None:
    with prometheus(answers(LOAD, PRESSED)) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("dpd")
        assert said(page.warning)[0] == (
            "**The prefill pool is the bottleneck: give it an engine.**\n\n- 3.0 requests wait for each prefill engine\n"
            "- a prompt waits 2,000 ms and is computed in 500 ms: longer in the queue than in work\n"
            "- prefill engines are busy 97% of the time"
        )
        (link,) = page.get("page_link")
        assert link.proto.label == "Preview 2 prefill engines on the Control page"
        assert "set=pools.prefill.replicas" in link.proto.query_string
        shown = [(metric.label, metric.value) for metric in page.metric]
        assert all("From Prometheus, as of " in metric.help and "```promql" in metric.help for metric in page.metric)
        assert ("Busy", "97 %") in shown
        assert ("Preempted", "unknown") in shown
        assert ("On its way", "1.118 GiB") in shown
        assert ("Prefill engines' free KV", "80 %") in shown
        assert ("Prefill engines' KV full in", "not filling") in shown
        page.number_input(key="dpd-buffer").set_value(1.0)
        assert ("P/D buffer used", "56 %") in [(metric.label, metric.value) for metric in page.run().metric]
        assert not page.exception


def test_a_threshold_that_is_advised_is_tried_with_a_click(
    opened: Opener, steered: Steered, environment: pytest.MonkeyPatch
) -> None:
    remembered(steered)
    with prometheus(answers(LOAD, PRESSED)) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("dpd")
        assert page.button(key="try 1").label == "Try 1,024 as the threshold"
        page = press(page, "try 1")
        assert page.select_slider(key="dpd-threshold").value == 1_024
        assert not page.exception


def test_without_control_the_pressure_is_told_and_advice_needs_it(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    with prometheus(answers(LOAD, PRESSED)) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        environment.setenv("KVDECK_CONTROL_URL", "")
        page = opened("dpd")
    assert any(words.startswith("This needs kvdeck's control") for words in said(page.info))
    assert ("Busy", "97 %") in [(metric.label, metric.value) for metric in page.metric]
    assert not page.exception


def test_pools_of_several_models_are_not_one(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    both = [({"model_name": name, "pool": "decode", "quantity": "engines"}, 1.0) for name in ("a", "b")]
    with prometheus(answers(LOAD, {"pressure": both})) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("dpd")
    assert "The pools of several models are not one: pick one above. Seen: a, b." in said(page.info)


def test_a_threshold_is_tried_beside_what_is_in_force(opened: Opener, steered: Steered) -> None:
    remembered(steered)
    page = slide(thresholds(opened), "dpd-threshold", 2_048)
    assert "In force: prompts of at least 512 tokens are computed on a prefill engine first" in " ".join(said(page.caption))
    shown = figures(page)
    assert all("From control, of 4 requests that control remembers, from " in metric.help for metric in page.metric)
    assert shown["Disaggregated"] == ("25 %", "now 50 %")
    assert shown["Would change path"] == ("1", "0 to prefill, 1 direct")
    assert shown["Prefill pool busy"] == ("unknown", "now unknown")
    assert "too few prefills tell their time" in " ".join(said(page.caption))
    assert not page.exception


def test_what_a_decode_engine_holds_is_the_second_dimension(opened: Opener, steered: Steered) -> None:
    remembered(steered)
    page = slide(thresholds(opened), "dpd-uncached", 128)
    assert figures(page)["Disaggregated"] == ("25 %", "now 50 %")
    assert not page.exception


def test_always_is_spelled_out(opened: Opener, steered: Steered) -> None:
    steered.patch({"dpd": {"routing_threshold": 0, "min_uncached_tokens": 64}})
    told = " ".join(said(thresholds(opened).caption))
    assert "In force: every prompt (0 means always) are computed on a prefill engine first, unless a decode engine" in told


def test_what_was_tried_is_there_again_after_another_part_and_its_link_tries_the_same(opened: Opener, steered: Steered) -> None:
    remembered(steered)
    page = slide(slide(thresholds(opened), "dpd-threshold", 2_048), "dpd-uncached", 128)
    page = turned(turned(page, ACROSS), THRESHOLD)
    link = {name: page.query_params[name] for name in ("dpd-threshold", "dpd-uncached")}
    assert link == {"dpd-threshold": "2048", "dpd-uncached": "128"}
    for seen in (page, opened("dpd", {"dpd-part": THRESHOLD, **link})):
        assert (seen.select_slider(key="dpd-threshold").value, seen.select_slider(key="dpd-uncached").value) == (2_048, 128)
        assert "tried 2,048" in str(seen.get("plotly_chart")[0].proto)


def test_a_threshold_is_applied_with_two_clicks(opened: Opener, steered: Steered) -> None:
    remembered(steered)
    page = press(slide(thresholds(opened), "dpd-threshold", 2_048), "preview threshold")
    assert page.dataframe[0].value.to_dict("records") == [
        {"field": "models.smollm2.dpd.routing_threshold", "before": "512", "after": "2048"}
    ]
    assert dpd(steered)["routing_threshold"] == 512
    page = press(page, "apply-threshold")
    assert (dpd(steered)["routing_threshold"], dpd(steered)["min_uncached_tokens"]) == (2_048, 0)
    assert "In force: prompts of at least 2,048 tokens" in " ".join(said(page.caption))
    assert "Generation 2 is in force." in said(page.success)
    assert not page.exception


def test_somebody_elses_change_between_the_clicks_is_told(opened: Opener, steered: Steered) -> None:
    page = press(slide(thresholds(opened), "dpd-threshold", 2_048), "preview threshold")
    steered.patch({"dpd": {"routing_threshold": 1_024}})
    page = press(page, "apply-threshold")
    told = said(page.warning) + said(page.info)
    assert any("preview" in words and "again" in words for words in told), told
    assert dpd(steered)["routing_threshold"] == 1_024


def test_where_disaggregation_is_off_the_preview_is_of_switching_it_on(opened: Opener, steered: Steered) -> None:
    remembered(steered)
    steered.patch({"dpd": {"enabled": False}})
    page = thresholds(opened)
    assert figures(page)["Disaggregated"] == ("50 %", "now off")
    assert page.button(key="preview threshold").label == "Preview disaggregation with this threshold"
    page = press(page, "preview threshold")
    assert page.dataframe[0].value["field"].to_list() == ["models.smollm2.dpd.enabled"]


def test_without_requests_there_is_nothing_to_try(opened: Opener, steered: Steered) -> None:
    page = thresholds(opened)
    assert any(words.startswith("Control remembers no request of this model yet") for words in said(page.info))
    assert not page.metric
    assert not page.exception


@pytest.mark.parametrize("mode", [Mode.OBSERVE, Mode.DECLARATIVE])
def test_who_can_only_look_gets_the_command_instead_of_a_button(
    opened: Opener, environment: pytest.MonkeyPatch, tmp_path: Path, mode: Mode
) -> None:
    fleet = EmulatedFleet(running("prefill-0", "decode-0", "decode-1").engines)
    control = Steered(tmp_path / "control", fleet, desired(), stance=Stance(mode))
    try:
        environment.setenv("KVDECK_CONTROL_URL", control.url)
        page = thresholds(opened)
        assert "preview threshold" not in [button.key for button in page.button]
        assert "`kvdeck ctl set --model smollm2 dpd.routing_threshold=512`" in said(page.caption)[-1]
    finally:
        control.stop()


def test_of_several_models_one_has_to_be_picked(opened: Opener, environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fleet = EmulatedFleet(running("prefill-0", "decode-0", "decode-1").engines)
    control = Steered(tmp_path / "control", fleet, Desired(models={"smollm2": model(), "other": model()}))
    try:
        environment.setenv("KVDECK_CONTROL_URL", control.url)
        page = thresholds(opened)
        assert "Several models are served: other, smollm2. Pick one above to try thresholds with." in said(page.info)
        page.selectbox(key="model").set_value("other")
        assert page.run().button(key="preview threshold").label == "Preview this threshold"
    finally:
        control.stop()


def test_without_control_the_page_says_so(opened: Opener) -> None:
    assert any("Control does not answer" in words for words in said(thresholds(opened).error))


def test_where_no_control_is_configured_thresholds_need_one(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    environment.setenv("KVDECK_CONTROL_URL", "")
    page = thresholds(opened)
    assert any(words.startswith("This needs kvdeck's control") for words in said(page.info))
    assert not page.error
