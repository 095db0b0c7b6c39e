"""Panels over time: a heading that explains itself, the chart, and what is said where there is none."""

from __future__ import annotations

from datetime import timedelta

import streamlit as st

from dashboard import notices, plots, reader
from dashboard.asking import Answers
from dashboard.charts import Span
from dashboard.figures import Figure
from dashboard.marks import Mark
from dashboard.plots import Plot
from dashboard.promapi import PrometheusUnavailableError
from dashboard.wording import plain
from stack.metrics.queries import Query

PLAIN = {"displayModeBar": False, "displaylogo": False}


def heading(title: str, query: Query, answers: Answers) -> None:
    """The panel's title; its tooltip says what it means, in which unit, from where and when."""
    st.markdown(f"**{title}**", help=provenance(query, answers))


def provenance(query: Query, answers: Answers) -> str:
    """What a number means, its unit, its source and its age, for a tooltip."""
    return plots.provenance(query, answers, reader.span(timedelta()))


def source(figure: Figure, answers: Answers) -> str:
    """Who told a figure, when, and what was asked for it."""
    assert figure.query is not None, f"{figure.title} is not from Prometheus"
    return plots.source(figure.query, answers, reader.span(timedelta()))


def series(
    title: str, query: Query, answers: Answers, name: str, span: Span, marks: list[Mark], *, by: tuple[str, ...] | None = None,
    nothing: str = plots.NOTHING,
) -> None:  # fmt: skip
    """`answers`' frame `name` as lines, one for each combination of the labels `by` (else the query's)."""
    drawn(plots.lines(title, query, answers, name, span, marks, by=by, nothing=nothing))


def drawn(plot: Plot) -> None:
    """A plot, or what is said where there is none."""
    st.markdown(f"**{plot.title}**", help=plot.about)
    if plot.figure is not None:
        st.plotly_chart(plot.figure, key=plot.title, config=PLAIN, alt=plot.alt)
    elif plot.failed:
        st.warning(plain(plot.said), icon=notices.AWAY)
    else:
        st.info(plot.said)


def failed(error: PrometheusUnavailableError) -> None:
    """This part of the page has no answer, though others have."""
    st.warning(f"Unknown: {plain(str(error))}.", icon=notices.AWAY)


def footer(answers: Answers, refresh: int | None) -> None:
    """How old the page's numbers are, and when there are newer ones."""
    at = answers.at.astimezone(reader.zone())
    again = f"anew every {refresh} s" if refresh else "not refreshed by itself"
    st.caption(f"From Prometheus as of {at:%b %d, %H:%M:%S} ({reader.zone()}), {again}.")
