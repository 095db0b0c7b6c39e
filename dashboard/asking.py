"""What a part of a page asks of Prometheus: all at once, by one deadline, once for all who look at the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
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
    """The query's course over the whole of what is looked at, in the `phase` of `Span`."""

    query: Query
    phase: float = 0.0


Question = Now | Over


@dataclass(frozen=True, slots=True)
class Answers:
    """What Prometheus said to each question; `at` is the moment that was asked about."""

    at: datetime
    found: Mapping[str, list[Sample] | pd.DataFrame | Failed]
    phases: Mapping[str, float] = field(default_factory=dict)

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

    def span(self, name: str, asked: Span) -> Span:
        """What the course `name` is drawn over, where `asked` was looked at."""
        return replace(asked, phase=self.phases.get(name, 0.0))

    def _answer(self, name: str) -> list[Sample] | pd.DataFrame:
        answer = self.found[name]
        if isinstance(answer, Failed):
            raise PrometheusUnavailableError(answer.why)
        return answer


def ask(questions: Mapping[str, Question], span: Span) -> Answers:
    """Ask all `questions` about `span`; those of other sessions about the same are answered with these answers.

    Raises PrometheusUnavailableError when none was answered, SettingsError.
    """
    return put(_own_desk(), questions, span)


def ahead(questions: Mapping[str, Question], span: Span) -> None:
    """Have `questions` asked and wait for no answer: who asks them next finds them under way. Raises SettingsError."""
    desk = _own_desk()
    desk.begin(_inquiries(desk, questions, span))


def put(desk: Desk, questions: Mapping[str, Question], span: Span) -> Answers:
    """Ask all `questions` about `span` at this desk. Raises PrometheusUnavailableError when none was answered."""
    answers = desk.answers(_inquiries(desk, questions, span))
    failed = [answer.why for answer in answers if isinstance(answer, Failed)]
    if failed and len(failed) == len(answers):
        raise PrometheusUnavailableError(failed[0])
    phases = {name: question.phase for name, question in questions.items() if isinstance(question, Over)}
    return Answers(span.end, dict(zip(questions, answers, strict=True)), phases)


def _inquiries(desk: Desk, questions: Mapping[str, Question], span: Span) -> list[Inquiry]:
    step = step_seconds(span.start, span.end)
    over = shortened if step >= OVER_SECONDS and _recorded(desk, span.universal.on_grid(step)) else str
    return [_inquiry(question, span.universal, step, over) for question in questions.values()]


def _inquiry(question: Question, span: Span, step: int, over: Callable[[str], str]) -> Inquiry:
    match question:
        case Now(query):
            return Inquiry(query.expr, None, span.end)
        case Over(query, phase):
            steps = replace(span, phase=phase).on_grid(step)
            return Inquiry(over(query.expr), steps.start, steps.end)


def _recorded(desk: Desk, steps: Span) -> bool:
    """Whether a range so long that it is asked for by recorded rates has them; where the rules are not loaded, it takes longer."""
    (answer,) = desk.answers([Inquiry(reaching_back(int(steps.start.timestamp())), None, steps.end)])
    return bool(answer) if isinstance(answer, list) else False


def _own_desk() -> Desk:
    """Of this session's Prometheus. Raises SettingsError."""
    prometheus = sources.prometheus()
    return _desk(prometheus.url, prometheus)


@st.cache_resource(show_spinner=False)
def _desk(url: str, _prometheus: PromApi) -> Desk:
    """One a Prometheus, for all sessions: what it tells is no secret of anybody's."""
    return Desk(_prometheus)
