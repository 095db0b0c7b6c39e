"""The Overview page against the real control and something that plays Prometheus."""

from __future__ import annotations

import pytest

from tests.dashboard.conftest import Opener
from tests.dashboard.fakes import Steered, prometheus
from tests.dashboard.samples import BUSY, FIRING


def test_the_numbers_say_their_units_and_what_is_not_known(
    opened: Opener, steered: Steered, environment: pytest.MonkeyPatch
) -> None:
    with prometheus(BUSY) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("overview")
    assert {metric.label: (metric.value, metric.delta) for metric in page.metric} == {
        "Requests": ("2.00 /s", "errors 25 %"),
        "TTFT p50, direct": ("40 ms", "p95 90 ms"),
        "TTFT p50, DPD": ("1.25 s", "p95 2.50 s"),
        "ITL p50, direct": ("8 ms", "p95 unknown"),
        "ITL p50, DPD": ("unknown", "p95 unknown"),
        "Engine hits": ("85 %", ""),
        "L1 hits": ("0 %", ""),
        "L2 hits": ("unknown", ""),
    }
    assert page.success[0].value == ("**The fleet is well.** Engines: 2 decode ready, 1 prefill ready (emulated). No alert fires.")
    assert len(page.get("plotly_chart")) == 4  # the waterfall twice, one latency, the hit ratio
    assert [info.value for info in page.info] == ["Nothing to measure in this range."] * 2
    assert not page.exception


def test_without_any_data_nothing_is_drawn_as_zero(opened: Opener, steered: Steered, environment: pytest.MonkeyPatch) -> None:
    with prometheus({}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("overview")
    assert {metric.value for metric in page.metric} == {"unknown"}
    assert page.info[0].value.startswith("No prompt tokens have been counted yet")
    assert len(page.get("plotly_chart")) == 0
    assert not page.exception


def test_a_firing_alert_is_named(opened: Opener, steered: Steered, environment: pytest.MonkeyPatch) -> None:
    with prometheus(FIRING) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("overview")
    assert page.warning[0].value.startswith("**Firing: KvdeckEngineDown.**")


def test_a_firing_alert_is_named_without_control_too(opened: Opener, environment: pytest.MonkeyPatch) -> None:
    with prometheus(FIRING) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        page = opened("overview")
    assert [error.value.partition(" at ")[0] for error in page.error] == ["Control does not answer"]
    assert page.warning[0].value == "**Firing: KvdeckEngineDown.** The engines' states are unknown."


def test_prometheus_being_away_is_said_once_and_the_engines_are_still_told(opened: Opener, steered: Steered) -> None:
    page = opened("overview")
    assert [error.value.partition(": ")[0] for error in page.error] == ["Prometheus at http://127.0.0.1:9"]
    assert page.warning[0].value.startswith("**The engines are ready; whether an alert fires is unknown.**")
    assert not page.exception


def test_everything_being_away_is_two_sentences(opened: Opener) -> None:
    page = opened("overview")
    assert [error.value.split()[0] for error in page.error] == ["Prometheus", "Control"]
    assert not page.exception
    assert not page.metric
