"""Panels over time: a heading that explains itself, the chart, and what is said where there is none."""

from __future__ import annotations

import streamlit as st

from dashboard import charts, notices, reader
from dashboard.asking import Answers
from dashboard.charts import Span
from dashboard.marks import Mark
from dashboard.promapi import PrometheusUnavailableError
from stack.metrics.queries import Query

PLAIN = {"displayModeBar": False, "displaylogo": False}


def heading(title: str, query: Query, answers: Answers) -> None:
    """The panel's title; its tooltip says what it means, in which unit, from where and when."""
    st.markdown(f"**{title}**", help=provenance(query, answers))


def provenance(query: Query, answers: Answers) -> str:
    """What a number means, its unit, its source and its age, for a tooltip."""
    unit = f" In {query.unit}." if query.unit else ""
    at = answers.at.astimezone(reader.zone())
    return f"{query.help}{unit}\n\nFrom Prometheus, as of {at:%H:%M:%S}:\n```promql\n{query.expr}\n```"


def series(
    title: str, query: Query, answers: Answers, name: str, span: Span, marks: list[Mark], *, by: tuple[str, ...] | None = None,
    nothing: str = "Nothing to measure in this range.",
) -> None:  # fmt: skip
    """`answers`' frame `name` as lines, one for each combination of the labels `by` (else the query's)."""
    heading(title, query, answers)
    try:
        frame = answers.frame(name)
    except PrometheusUnavailableError as error:
        failed(error)
        return
    if frame.empty:
        st.info(nothing)
        return
    figure = charts.lines(reader.local(frame), by or query.by, query.unit, span)
    alt = f"{title} over time, in {query.unit or 'its own unit'}: {query.help}"
    st.plotly_chart(charts.marked(figure, marks), key=title, config=PLAIN, alt=alt)


def failed(error: PrometheusUnavailableError) -> None:
    """This part of the page has no answer, though others have."""
    st.warning(f"Unknown: {error}.", icon=notices.AWAY)


def footer(answers: Answers, refresh: int | None) -> None:
    """How old the page's numbers are, and when there are newer ones."""
    at = answers.at.astimezone(reader.zone())
    again = f"anew every {refresh} s" if refresh else "not refreshed by itself"
    st.caption(f"From Prometheus as of {at:%H:%M:%S} ({reader.zone()}), {again}.")
