"""A page's questions to Prometheus: all at once, shared by those who look at the same, each with an answer or a reason."""

from __future__ import annotations

import socket
import time
from datetime import UTC, datetime, timedelta

import pytest
import streamlit as st

from dashboard import asking
from dashboard.asking import Now, Over
from dashboard.charts import Span
from dashboard.desk import DEADLINE_SECONDS
from dashboard.promapi import PrometheusUnavailableError, Sample
from stack.metrics.queries import Query
from stack.metrics.recorded import reaching_back
from tests.dashboard.fakes import Heard, prometheus

RATE, SHARE = (Query(expression, "", (), "") for expression in ("rate", "share"))
END = datetime(2026, 1, 1, tzinfo=UTC)
SPAN = Span(END - timedelta(minutes=15), END)


def test_answers_are_samples_for_now_and_rows_over_time(environment: pytest.MonkeyPatch) -> None:
    with prometheus({"rate": [({"code": "2xx"}, 1.5)], "share": [({}, 0.5)]}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        answers = asking.ask({"rate": Now(RATE), "share": Over(SHARE)}, SPAN)
    assert answers.samples("rate") == [Sample({"code": "2xx"}, 1.5, 1_700_000_000)]
    assert list(answers.frame("share")["value"]) == [0.5, 0.5]


def test_two_who_look_at_the_same_are_answered_once(environment: pytest.MonkeyPatch) -> None:
    heard: Heard = []
    with prometheus({"rate": [({}, 1.5)]}, heard) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        first, second = (asking.ask({"rate": Now(RATE)}, SPAN) for _ in range(2))
        later = Span(SPAN.start, SPAN.end + timedelta(seconds=5))
        asking.ask({"rate": Now(RATE)}, later)
    assert first == second
    assert heard == ["rate", "rate"]


def test_a_course_is_not_asked_for_again_before_it_has_another_point(environment: pytest.MonkeyPatch) -> None:
    heard: Heard = []
    with prometheus({"share": [({}, 0.5)]}, heard) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        for seconds in (0, 25, 30):  # the grid of a quarter of an hour moves on every half minute
            moved = timedelta(seconds=seconds)
            asking.ask({"share": Over(SHARE)}, Span(SPAN.start + moved, SPAN.end + moved))
    assert heard == ["share", "share"]


def test_courses_of_different_phases_are_not_asked_for_anew_together(environment: pytest.MonkeyPatch) -> None:
    heard: Heard = []
    asked: dict[int, list[str]] = {}
    with prometheus({"share": [({}, 0.5)], "rate": [({}, 0.5)]}, heard) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        for seconds in (0, 10, 20, 30):
            span, before = Span(SPAN.start + timedelta(seconds=seconds), SPAN.end + timedelta(seconds=seconds)), len(heard)
            answers = asking.ask({"share": Over(SHARE), "rate": Over(RATE, 1 / 3)}, span)
            asked[seconds] = sorted(heard[before:])
    assert asked == {0: ["rate", "share"], 10: ["rate"], 20: [], 30: ["share"]}
    assert [answers.span(name, SPAN).phase for name in ("share", "rate")] == [0.0, 1 / 3]


def test_what_is_asked_ahead_is_under_way_when_somebody_asks_it(environment: pytest.MonkeyPatch) -> None:
    heard: Heard = []
    with prometheus({"rate": [({}, 1.5)]}, heard) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        asking.ahead({"rate": Now(RATE)}, SPAN)
        assert asking.ask({"rate": Now(RATE)}, SPAN).samples("rate")[0].value == 1.5
    assert heard == ["rate"]


def test_a_long_range_goes_by_recorded_rates_where_there_are_some(environment: pytest.MonkeyPatch) -> None:
    day, heard = Span(END - timedelta(days=1), END), list[str]()
    summed = "sum by (source) (rate(kvdeck_prompt_tokens_total{}[720s]))"
    course = {"course": Over(Query(summed, "", (), ""))}
    recorded = reaching_back(int(day.start.timestamp()))
    with prometheus({recorded: [({}, 96.0)]}, heard) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        asking.ask(course, day)
        asking.ask(course, SPAN)
    with prometheus({}, heard) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        st.session_state.clear()
        asking.ask(course, day)
    short = "sum by (source) (avg_over_time(kvdeck:prompt_tokens:rate5m{}[720s]))"
    assert heard == [recorded, short, summed, recorded, summed]


def test_one_refused_question_leaves_the_others_their_answers(environment: pytest.MonkeyPatch) -> None:
    with prometheus({"rate": [({}, 1.5)]}, refused={"share"}) as url:
        environment.setenv("KVDECK_PROMETHEUS_URL", url)
        answers = asking.ask({"rate": Now(RATE), "share": Now(SHARE)}, SPAN)
    assert [sample.value for sample in answers.samples("rate")] == [1.5]
    with pytest.raises(PrometheusUnavailableError, match="it refused the query"):
        answers.samples("share")


def test_a_prometheus_that_hangs_is_told_by_the_deadline_and_not_waited_for_again(environment: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        environment.setenv("KVDECK_PROMETHEUS_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        began = time.monotonic()
        for number in range(3):
            with pytest.raises(PrometheusUnavailableError, match=f"no answer within {DEADLINE_SECONDS:g} s"):
                asking.ask({"rate": Now(RATE), "share": Over(SHARE)}, Span(SPAN.start, SPAN.end + timedelta(seconds=number)))
        assert time.monotonic() - began < 2 * DEADLINE_SECONDS
