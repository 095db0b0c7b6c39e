"""Where prompt tokens' KV came from: over time, as it stands, and why some is unknown."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from dashboard import amounts, panels, plots
from dashboard.asking import Answers, Now, Over, Question
from dashboard.caching import rest, stairs
from dashboard.marks import Mark
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from stack.metrics import cache_queries, catalog, doubt_queries, queries
from stack.metrics.family import Label
from stack.metrics.promql import known
from stack.metrics.queries import Query
from stack.model.tier import Source

NOW = "5m"
_COLLECTORS = ("engines", "lmcache")


def questions(scope: Scope) -> Mapping[str, Question]:
    """What this part asks."""
    where = scope.model
    return {
        "waterfall": Over(queries.waterfall(where, scope.window)),
        "now": Now(queries.waterfall(where, NOW)),
        "prefill now": Now(queries.prefill_waterfall(where, NOW)),
        "unexplained": Now(doubt_queries.unexplained(where, NOW)),
        "untold": Now(doubt_queries.untold_engines(where)),
        "unread": Now(doubt_queries.unread(scope.fleet, _COLLECTORS)),
        "states": Now(doubt_queries.states(scope.fleet, rest.QUANTITIES)),
        "modes": Now(doubt_queries.modes(scope.fleet)),
        "doubts": Now(cache_queries.doubtful(known(scope.fleet, catalog.CACHE_COUNTERS_DOUBTFUL))),
    }


def draw(answers: Answers, scope: Scope, changes: list[Mark]) -> None:
    """Draw this part of the page."""
    _course(answers, scope, changes)
    query = queries.waterfall(scope.model, NOW)
    now, beside = st.columns([3, 2])
    with now:
        rates = _stairs("The last 5 minutes, step by step (tokens)", "now", query, answers)
    with beside:
        _explained(answers, rates)
    prefill = queries.prefill_waterfall(scope.model, NOW)
    if _samples(answers, "prefill now"):
        with st.expander("What the prefill pool did for the part that came from a peer", key="cache-prefill"):
            _stairs("Prefill pool, the last 5 minutes", "prefill now", prefill, answers)


def _course(answers: Answers, scope: Scope, changes: list[Mark]) -> None:
    query = queries.waterfall(scope.model, scope.window)
    nothing = "No prompt tokens were counted in this range: where they come from is unknown until requests arrive."
    title = "Prompt tokens by where their KV came from"
    panels.drawn(plots.waterfall(title, query, answers, "waterfall", scope.span, changes, nothing=nothing))


def _stairs(title: str, name: str, query: Query, answers: Answers) -> Mapping[Source, float]:
    panels.heading(title, query, answers)
    rates: dict[Source, float] = {}
    try:
        for sample in answers.samples(name):
            source = Source(sample.labels[Label.SOURCE])
            rates[source] = rates.get(source, 0.0) + sample.value
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return {}
    each = stairs.steps(rates)
    if not each:
        st.caption("No prompt arrived in the last 5 minutes.")
        return rates
    alt = f"{title}: {stairs.words(each)} of all prompt tokens."
    st.plotly_chart(stairs.figure(each), key=f"cache-{name}", config=panels.PLAIN, alt=alt)
    return rates


def _explained(answers: Answers, rates: Mapping[Source, float]) -> None:
    st.markdown(
        "**Does it add up?**", help="The sources of an engine sum to the prompt tokens it counts; what nobody explains is unknown."
    )
    whole, unknown = sum(rates.values()), rates.get(Source.UNKNOWN, 0.0)
    if whole > 0:
        _sum(whole, unknown)
    said = rest.reasons(*(_samples(answers, name) for name in ("states", "modes", "unread", "doubts")))
    with_most = _samples(answers, "unexplained")
    if unknown > 0:
        st.markdown(f"Most of it at {rest.named(with_most)}." if with_most else "")
        st.markdown("Why: " + "; ".join(said or [rest.REMAINDER]) + ".")
    elif said:
        st.caption("Not all is told, though nothing is unexplained now: " + "; ".join(said) + ".")
    outside = _samples(answers, "untold")
    if outside:
        st.warning(f"Not in these numbers, since they tell no prompt tokens: {rest.named(outside)}.", icon=":material/help:")
    if rates.get(Source.L1) or rates.get(Source.L2):
        st.caption("l1 and l2 are estimates where LMCache works: its look-up hits, matched with what engines loaded just after.")


def _sum(whole: float, unknown: float) -> None:
    if unknown > 0:
        text = f"To all but {amounts.percent(unknown / whole)}: of {unknown:,.1f} tokens/s nobody says where their KV came from."
        st.warning(text, icon=":material/help:")
    else:
        st.success("To all prompt tokens: each has a source.", icon=":material/check_circle:")


def _samples(answers: Answers, name: str) -> list[Sample]:
    """None where this question failed: the panel says less then, and nothing false."""
    try:
        return answers.samples(name)
    except PrometheusUnavailableError:
        return []
