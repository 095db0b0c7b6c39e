"""What a part of a page asks of Prometheus: all at once, by one deadline, once for all who look at the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

import pandas as pd
import streamlit as st

from dashboard import sources
from dashboard.charts import Span
from dashboard.desk import Desk, Failed, Inquiry
from dashboard.promapi import PromApi, PrometheusUnavailableError, Sample, step_seconds
from stack.metrics.queries import Query
from stack.metrics.recorded import OVER_SECONDS, reaching_back, shortened


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
    prometheus = sources.prometheus()
    return put(_desk(prometheus.url, prometheus), questions, span)


def put(desk: Desk, questions: Mapping[str, Question], span: Span) -> Answers:
    """Ask all `questions` about `span` at this desk. Raises PrometheusUnavailableError when none was answered."""
    steps = span.universal.on_grid(step_seconds(span.start, span.end))
    over = shortened if _recorded(desk, steps) else str
    answers = desk.answers([_inquiry(question, span.universal, steps, over) for question in questions.values()])
    failed = [answer.why for answer in answers if isinstance(answer, Failed)]
    if failed and len(failed) == len(answers):
        raise PrometheusUnavailableError(failed[0])
    return Answers(span.end, dict(zip(questions, answers, strict=True)))


def _inquiry(question: Question, span: Span, steps: Span, over: Callable[[str], str]) -> Inquiry:
    match question:
        case Now(query):
            return Inquiry(query.expr, None, span.end)
        case Over(query):
            return Inquiry(over(query.expr), steps.start, steps.end)


def _recorded(desk: Desk, steps: Span) -> bool:
    """Whether a range so long that it is asked for by recorded rates has them; where the rules are not loaded, it takes longer."""
    if step_seconds(steps.start, steps.end) < OVER_SECONDS:
        return False
    (answer,) = desk.answers([Inquiry(reaching_back(int(steps.start.timestamp())), None, steps.end)])
    return bool(answer) if isinstance(answer, list) else False


@st.cache_resource(show_spinner=False)
def _desk(url: str, _prometheus: PromApi) -> Desk:
    """One a Prometheus, for all sessions: what it tells is no secret of anybody's."""
    return Desk(_prometheus)
