"""The Overview page against the real control and something that plays Prometheus."""

from __future__ import annotations

from collections.abc import Hashable

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import reader
from stack.metrics.family import Label
from tests.dashboard.conftest import PAST, Opener
from tests.dashboard.drawn import changes
from tests.dashboard.fakes import Steered, prometheus
from tests.dashboard.samples import BUSY, COURSE, FIRING, SERVED, Told, of_model, overview


def _tables(page: AppTest) -> list[list[dict[Hashable, object]]]:
    return [table.value.astype(object).where(table.value.notna(), None).to_dict("records") for table in page.dataframe]


def test_the_numbers_say_their_units_and_what_is_not_known(
    opened: Opener, steered: Steered, environment: pytest.MonkeyPatch
) -> None:
    with prometheus(BUSY) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("overview")
    assert not page.exception
    assert all("From Prometheus, as of " in metric.help and "```promql" in metric.help for metric in page.metric)
    assert {metric.label: (metric.value, metric.delta) for metric in page.metric} == {
        "Requests": ("2.00 /s", "errors 25 %"),
        "Goodput": ("≤ 1.80 /s", "≤ 90 % in time"),
        "TTFT p50, direct": ("40 ms", "p95 90 ms"),
        "TTFT p50, DPD": ("1.25 s", "p95 2.50 s"),
        "ITL p50, direct": ("8 ms", "p95 unknown"),
        "ITL p50, DPD": ("unknown", "p95 unknown"),
        "Engine hits": ("85 %", ""),
        "L1 hits": ("0 %", ""),
        "L2 hits": ("unknown", ""),
    }
    assert page.success[0].value == ("**The fleet is well.** Engines: 2 decode ready, 1 prefill ready (emulated). No alert fires.")
    assert len(page.get("plotly_chart")) == 5  # the waterfall twice, one latency, requests, the hit ratio
    assert [info.value for info in page.info] == ["Nothing to measure in this range."] * 2


def test_pools_and_objectives_are_told_in_tables(opened: Opener, steered: Steered, environment: pytest.MonkeyPatch) -> None:
    with prometheus(BUSY) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        pools, objectives = _tables(opened("overview"))
    assert pools[1] == {
        "model": "smollm2", "pool": "decode", "desired": 2, "ready": 2, "listed": None, "running": 7, "waiting": 1, "KV used": None
    }  # fmt: skip
    assert [(row["objective"], row["target"], row["met"], round(float(str(row["budget left"])))) for row in objectives] == [
        ("First token within 2.50 s", 95.0, 98.0, 60),
        ("Next tokens within 100 ms", 95.0, 90.0, -100),
        ("No failure", 99.9, 100.0, 100),
    ]


def test_without_any_data_nothing_is_drawn_as_zero(opened: Opener, steered: Steered, environment: pytest.MonkeyPatch) -> None:
    with prometheus({}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("overview")
    assert not page.exception
    assert {metric.value for metric in page.metric} == {"unknown"}
    assert page.info[0].value.startswith("No prompt tokens have been counted yet")
    assert len(page.get("plotly_chart")) == 0
    assert page.warning[0].value.startswith(
        "**It is unknown whether an alert fires: this Prometheus records none of kvdeck's rules.**"
    )


def test_several_models_are_rows_and_lines_and_what_can_be_is_added_up(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    both = overview(SERVED, COURSE, of_model(_without_rules(SERVED), "other"), of_model(COURSE, "other"))
    with prometheus(both) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        environment.setenv("KVDECK_CONTROL_URL", "")
        page = opened("overview")
    assert not page.exception
    assert {metric.label: metric.value for metric in page.metric} == {"Requests": "4.00 /s"}
    models = _tables(page)[0]
    assert [(row["model"], row["requests"], row["TTFT p95"], row["in time"]) for row in models] == [
        ("other", 2.0, 2500.0, 90.0),
        ("smollm2", 2.0, 2500.0, 90.0),
    ]
    assert page.success[0].value.endswith("No alert fires. As far as Prometheus alone can tell.")
    assert [link.proto.label for link in page.get("page_link")][-2:] == ["other", "smollm2"]


def test_one_model_in_two_namespaces_is_never_one_number(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    both = overview(of_model(_without_rules(SERVED), namespace="one"), of_model(_without_rules(SERVED), namespace="two"))
    with prometheus(both) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        environment.setenv("KVDECK_CONTROL_URL", "")
        page = opened("overview")
    assert {metric.label: metric.value for metric in page.metric} == {"Requests": "4.00 /s"}
    assert [(row["model"], row["where"]) for row in _tables(page)[0]] == [("smollm2", "one"), ("smollm2", "two")]


def test_a_firing_alert_is_named(opened: Opener, steered: Steered, environment: pytest.MonkeyPatch) -> None:
    with prometheus(FIRING) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("overview")
    assert page.error[0].value.startswith("**Critical: KvdeckEngineDown.**")
    assert page.get("page_link")[0].proto.label == "Alerts: 1 firing"


def test_of_hours_that_are_held_the_verdict_is_of_their_end_and_not_of_control_that_is_away(
    opened: Opener, environment: pytest.MonkeyPatch
) -> None:
    with prometheus(FIRING) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("overview", PAST)
    assert page.error[0].value.startswith("**Critical: KvdeckEngineDown.**")
    assert "Control" not in page.error[0].value


def test_a_firing_alert_is_named_without_control_too(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    with prometheus(FIRING) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("overview")
    assert [error.value.partition(" at ")[0] for error in page.error[:1]] == ["Control does not answer"]
    assert page.error[1].value.startswith("**Critical: KvdeckEngineDown.** Control does not answer: ")


def test_prometheus_being_away_is_said_once_and_the_engines_are_still_told(opened: Opener, steered: Steered) -> None:
    page = opened("overview")
    assert [error.value.partition(": ")[0] for error in page.error] == ["Prometheus at http://127.0.0.1:9"]
    assert page.warning[0].value.startswith("**It is unknown whether an alert fires: Prometheus does not answer.**")
    assert not page.exception


def test_everything_being_away_is_two_sentences(opened: Opener) -> None:
    page = opened("overview")
    assert [error.value.split()[0] for error in page.error] == ["Prometheus", "Control"]
    assert not page.exception
    assert not page.metric


def test_the_page_asks_seven_questions(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    """Beside them the toolbar's and the banner's."""
    heard: list[str] = []
    with prometheus(BUSY, heard) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        opened("overview")
    assert len([question for question in heard if '"figure"' in question]) == 7


def test_charts_of_one_model_have_no_marks_of_anothers_changes(
    opened: Opener, steered: Steered, environment: pytest.MonkeyPatch
) -> None:
    steered.patch({"models": {"smollm2": {"strategy": "session"}}})
    environment.setattr(reader, "SLOT_SECONDS", 0.001)  # what was changed just now is within what is looked at
    own, other = ({Label.MODEL_NAME: name} for name in ("smollm2", "ghost"))
    told = {**BUSY, **overview(SERVED, COURSE, where=own), **overview(of_model(COURSE, "ghost"), where=other)}
    with prometheus(told) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        pages = [opened("overview", {"model": name} if name else {}) for name in ("", "smollm2", "ghost")]
    assert [len(changes(page, "Requests")) for page in pages] == [1, 1, 0]
    assert "session" in changes(pages[1], "Requests")[0]


def _without_rules(told: Told) -> Told:
    return {name: series for name, series in told.items() if name != "rules"}
