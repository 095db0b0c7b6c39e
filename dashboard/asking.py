"""What a part of a page asks of Prometheus: all at once, by one deadline, once for all who look at the same."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime

import pandas as pd
import streamlit as st

from dashboard import sources
from dashboard.charts import Span
from dashboard.promapi import AT_ONCE, TIMEOUT_SECONDS, PromApi, PrometheusUnavailableError, Sample, step_seconds
from stack.metrics.queries import Query

_KEPT_SECONDS, _KEPT_ANSWERS = 60, 200


@dataclass(frozen=True, slots=True)
class Now:
    """The query's value at the end of what is looked at."""

    query: Query


@dataclass(frozen=True, slots=True)
class Over:
    """The query's course over the whole of what is looked at."""

    query: Query


Question = Now | Over


@dataclass(frozen=True, slots=True)
class Failed:
    """Why a question has no answer."""

    why: str


@dataclass(frozen=True, slots=True)
class Answers:
    """What Prometheus said to each question; `at` is the moment that was asked about."""

    at: datetime
    found: Mapping[str, list[Sample] | pd.DataFrame | Failed]

    def samples(self, name: str) -> list[Sample]:
        """The samples of a `Now`. Raises PrometheusUnavailableError where this one question failed."""
        answer = self._answer(name)
        assert isinstance(answer, list), f"{name} was asked over time"
        return answer

    def frame(self, name: str) -> pd.DataFrame:
        """The rows of an `Over`: time (UTC), value and labels. Raises PrometheusUnavailableError where this one failed."""
        answer = self._answer(name)
        assert isinstance(answer, pd.DataFrame), f"{name} was asked for now"
        return answer

    def _answer(self, name: str) -> list[Sample] | pd.DataFrame:
        answer = self.found[name]
        if isinstance(answer, Failed):
            raise PrometheusUnavailableError(answer.why)
        return answer


def ask(questions: Mapping[str, Question], span: Span) -> Answers:
    """Ask all `questions` about `span`; those of other sessions about the same are answered with these answers.

    Raises PrometheusUnavailableError when none was answered, SettingsError.
    """
    found = _asked(sources.settings().prometheus_url, tuple(questions.items()), span.universal)
    failed = [answer.why for answer in found.values() if isinstance(answer, Failed)]
    if failed and len(failed) == len(found):
        raise PrometheusUnavailableError(failed[0])
    return Answers(span.end, found)


@st.cache_data(ttl=_KEPT_SECONDS, max_entries=_KEPT_ANSWERS, show_spinner=False)
def _asked(url: str, questions: tuple[tuple[str, Question], ...], span: Span) -> dict[str, list[Sample] | pd.DataFrame | Failed]:
    """One answer a question. What is kept is told from later answers by the end of `span`, which moves on with the clock."""
    prometheus = sources.prometheus()
    pool = _pool(url)
    asked = {name: pool.submit(_put, prometheus, question, span) for name, question in questions}
    wait(asked.values(), timeout=TIMEOUT_SECONDS)
    return {name: _answer(future, url) for name, future in asked.items()}


def _put(prometheus: PromApi, question: Question, span: Span) -> list[Sample] | pd.DataFrame:
    match question:
        case Now(query):
            return prometheus.instant(query.expr, span.end.timestamp())
        case Over(query):
            steps = span.on_grid(step_seconds(span.start, span.end))
            return prometheus.series(query.expr, steps.start, steps.end)


def _answer(future: Future[list[Sample] | pd.DataFrame], url: str) -> list[Sample] | pd.DataFrame | Failed:
    if not future.done():
        future.cancel()
        return Failed(f"Prometheus at {url}: no answer within {TIMEOUT_SECONDS:g} s")
    try:
        return future.result()
    except PrometheusUnavailableError as error:
        return Failed(str(error))


@st.cache_resource(show_spinner=False)
def _pool(url: str) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(AT_ONCE, thread_name_prefix=f"prometheus {url}")
