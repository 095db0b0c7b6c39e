"""Plots over time as values: what a page and a report draw of one answer, or what they say instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd

from dashboard import charts
from dashboard.asking import Answers
from dashboard.charts import Mark, Span
from dashboard.picture import Picture
from dashboard.promapi import PrometheusUnavailableError
from stack.metrics.queries import Query

NOTHING = "Nothing to measure in this range."


@dataclass(frozen=True, slots=True)
class Plot:
    """`figure` is None where there is nothing to draw: `said` is why, `failed` whether that is a fault. `alt` is for the blind."""

    title: str
    about: str
    alt: str
    figure: Picture | None = None
    said: str = ""
    failed: bool = False


def lines(
    title: str, query: Query, answers: Answers, name: str, span: Span, marks: Sequence[Mark], *, by: tuple[str, ...] | None = None,
    nothing: str = NOTHING,
) -> Plot:  # fmt: skip
    """`answers`' frame `name` as lines, one for each combination of the labels `by` (else the query's)."""
    draw = partial(charts.lines, by=by or query.by, unit=query.unit, span=answers.span(name, span))
    return _over_time(title, query, answers, name, span, marks, draw, nothing)


def waterfall(
    title: str, query: Query, answers: Answers, name: str, span: Span, marks: Sequence[Mark], *, nothing: str
) -> Plot:  # fmt: skip
    """`answers`' frame `name` as prompt tokens stacked by source."""
    return _over_time(title, query, answers, name, span, marks, partial(charts.waterfall, span=answers.span(name, span)), nothing)


def _over_time(
    title: str, query: Query, answers: Answers, name: str, span: Span, marks: Sequence[Mark],
    draw: Callable[[pd.DataFrame], Picture], nothing: str,
) -> Plot:  # fmt: skip
    try:
        frame = answers.frame(name)
    except PrometheusUnavailableError as error:
        return failed(title, query, answers, span, error)
    if frame.empty:
        return bare(title, query, answers, span, said=nothing)
    return bare(title, query, answers, span, figure=charts.marked(draw(local(frame, span)), marks))


def failed(title: str, query: Query, answers: Answers, span: Span, error: PrometheusUnavailableError) -> Plot:
    """This one has no answer, though others have."""
    return Plot(title, provenance(query, answers, span), title, said=f"Unknown: {error}.", failed=True)


def bare(title: str, query: Query, answers: Answers, span: Span, *, figure: Picture | None = None, said: str = "") -> Plot:
    """A plot of `query` with this figure."""
    alt = f"{title} over time, in {query.unit or 'its own unit'}: {query.help}"
    return Plot(title, provenance(query, answers, span), alt, figure, said)


def provenance(query: Query, answers: Answers, span: Span) -> str:
    """What a number means, its unit, its source and its age, for a tooltip."""
    unit = f" In {query.unit}." if query.unit else ""
    return f"{query.help}{unit}\n\n{source(query, answers, span)}"


def source(query: Query, answers: Answers, span: Span) -> str:
    """Who told a number, when, and what was asked for it."""
    at = answers.at.astimezone(span.end.tzinfo)
    return f"From Prometheus, as of {at:%b %d, %H:%M:%S}:\n```promql\n{query.expr}\n```"


def local(frame: pd.DataFrame, span: Span) -> pd.DataFrame:
    """`frame` with its column `time` in the zone of `span`."""
    return frame if frame.empty else frame.assign(time=frame["time"].dt.tz_convert(span.end.tzinfo))
