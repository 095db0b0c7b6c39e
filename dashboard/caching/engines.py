"""Each engine's cache: the worst of them over time, and how all of them spread."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dashboard import asking, panels, reader, sites
from dashboard.asking import Answers, Now, Over, Question
from dashboard.caching import heat
from dashboard.marks import Mark
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from dashboard.sites import Site
from stack.metrics import doubt_queries, heat_queries
from stack.metrics.family import Label
from stack.metrics.promql import Where, one_of
from stack.metrics.queries import Query


@dataclass(frozen=True, slots=True)
class _Measure:
    """What the map is coloured by: its worst engines now, the course of given ones, how many are in each tenth.

    `counted` is its name in what `heat_queries.counted` tells.
    """

    worst: Callable[[Where, str], Query]
    course: Callable[[Where, str], Query]
    steps: Callable[[Where, str], Query]
    counted: str
    lowest_first: bool


MEASURES = {
    "found in cache": _Measure(
        heat_queries.lowest_shares, heat_queries.shares, heat_queries.share_steps, "share", lowest_first=True
    ),
    "cache used": _Measure(
        lambda where, _: heat_queries.fullest(where),
        lambda where, _: heat_queries.used(where),
        lambda where, _: heat_queries.used_steps(where),
        "used",
        lowest_first=False,
    ),
}
MEASURE = "cache-measure"
_USUAL = next(iter(MEASURES))


def questions(scope: Scope) -> Mapping[str, Question]:
    """What this part asks first: both measures, so that the other one is there at once."""
    where, window = scope.model, scope.window
    return {
        **{f"worst {name}": Now(measure.worst(where, window)) for name, measure in MEASURES.items()},
        **{f"steps {name}": Now(measure.steps(where, window)) for name, measure in MEASURES.items()},
        "untold": Now(doubt_queries.untold_engines(where)),
        "counted": Now(heat_queries.counted(where, window)),
    }


def course(scope: Scope, measure: _Measure, engines: Collection[str]) -> Question:
    """What is asked then: the course of the worst alone, or Prometheus would work out all engines' at every point."""
    named = {**scope.model, Label.REPLICA: one_of(engines)}
    return Over(measure.course(named, scope.window))


def draw(answers: Answers, scope: Scope, changes: list[Mark]) -> None:
    """Draw this part of the page."""
    chosen = st.segmented_control(
        "Coloured by", list(MEASURES), default=_USUAL, key=MEASURE, bind="query-params", required=True, label_visibility="collapsed"
    )
    name = chosen or _USUAL
    measure = MEASURES[name]
    panels.heading("Engine by engine, the worst now first", measure.worst(scope.model, scope.window), answers)
    try:
        worst, untold = answers.samples(f"worst {name}"), answers.samples("untold")
        frame = _course(scope, measure, worst)
    except PrometheusUnavailableError as error:
        panels.failed(error)
    else:
        _map(frame, _reasons(untold, several=len(sites.seen(worst, untold)) > 1), scope, measure, changes)
        _counted(answers, measure)
    _spread(answers, scope, name)


def _course(scope: Scope, measure: _Measure, worst: Sequence[Sample]) -> pd.DataFrame:
    """Of the worst alone: of their namesakes elsewhere it is asked, too, and not told."""
    if not worst:
        return pd.DataFrame(columns=["time", "value"])
    engines = {sites.name(sample) for sample in worst}
    frame = asking.ask({"course": course(scope, measure, engines)}, scope.span).frame("course")
    wanted = set(heat.whom(pd.DataFrame([sample.labels for sample in worst])))
    return frame[[one in wanted for one in heat.whom(frame)]]


def _map(frame: pd.DataFrame, untold: Mapping[str, str], scope: Scope, measure: _Measure, changes: list[Mark]) -> None:
    if frame.empty and not untold:
        st.info("No engine tells this now: there is none that the exporter reads, or none got a prompt.")
        return
    figure = heat.figure(reader.local(frame), untold, scope.span, reader.ink(), changes, lowest_first=measure.lowest_first)
    alt = f"A map of engines over time, the worst first. {measure.worst(scope.model, scope.window).help}"
    st.plotly_chart(figure, key=f"cache-heat-{measure.counted}", config=panels.PLAIN, alt=alt)
    st.caption("Pale: the engine got no prompt. Grey: unknown, since it told nothing then.")


def _spread(answers: Answers, scope: Scope, name: str) -> None:
    query = MEASURES[name].steps(scope.model, scope.window)
    panels.heading("How all engines spread now", query, answers)
    try:
        samples = answers.samples(f"steps {name}")
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    if not samples:
        st.caption("Nothing to spread: no engine tells it now.")
        return
    counts: dict[str, dict[int, float]] = {}
    for sample in samples:
        pool = counts.setdefault(sample.labels.get(Label.POOL, ""), {})
        tenth = int(float(sample.labels[Label.QUANTITY]))
        pool[tenth] = pool.get(tenth, 0.0) + sample.value
    alt = f"Engines by tenths, in each pool. {query.help}"
    st.plotly_chart(heat.spread(counts), key=f"cache-spread-{name}", config=panels.PLAIN, alt=alt)


def _reasons(untold: Sequence[Sample], *, several: bool) -> dict[str, str]:
    """Why nothing is told of an engine, by its row, which names its site where there are `several`."""
    return {
        (Site.of(one.labels).named(sites.name(one)) if several else sites.name(one)): (
            "it tells no prompt tokens" if one.labels.get(Label.VERSION) else "the exporter cannot read it"
        )
        for one in untold
    }


def _counted(answers: Answers, measure: _Measure) -> None:
    try:
        counts: dict[str, float] = {}
        for sample in answers.samples("counted"):
            kind = sample.labels[Label.QUANTITY]
            counts[kind] = counts.get(kind, 0.0) + sample.value
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    listed, telling = counts.get("listed"), counts.get(measure.counted, 0.0)
    if listed is None:
        st.caption(f"{telling:.0f} engines tell it; how many are listed is unknown.")
        return
    rest = listed - telling
    silent = f"; of {rest:.0f} it is unknown, or there was no prompt" if rest > 0 else ""
    st.caption(f"{telling:.0f} of {listed:.0f} engines tell it now{silent}. At most {heat_queries.MOST} are drawn one by one.")
