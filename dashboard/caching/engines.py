"""Each engine's cache: the worst of them over time, and how all of them spread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from dashboard import panels, reader
from dashboard.asking import Answers, Now, Over, Question
from dashboard.caching import amounts, heat
from dashboard.marks import Mark
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from stack.metrics import doubt_queries, heat_queries
from stack.metrics.family import Label
from stack.metrics.promql import Where
from stack.metrics.queries import Query


@dataclass(frozen=True, slots=True)
class _Measure:
    """What the map is coloured by. `counted` is its name in what `heat_queries.counted` tells."""

    worst: Callable[[Where, str], Query]
    spread: Callable[[Where, str], Query]
    counted: str
    lowest_first: bool


MEASURES = {
    "found in cache": _Measure(heat_queries.worst_shares, heat_queries.share_spread, "share", lowest_first=True),
    "cache used": _Measure(
        lambda where, _: heat_queries.fullest(where), lambda where, _: heat_queries.used_spread(where), "used", lowest_first=False
    ),
}
MEASURE = "cache-measure"
_USUAL = next(iter(MEASURES))


def questions(scope: Scope) -> Mapping[str, Question]:
    """What this part asks: both measures, so that the other one is there at once."""
    where, window = scope.model, scope.window
    return {
        **{f"worst {name}": Over(measure.worst(where, window)) for name, measure in MEASURES.items()},
        **{f"spread {name}": Over(measure.spread(where, window)) for name, measure in MEASURES.items()},
        "untold": Now(doubt_queries.untold_engines(where)),
        "counted": Now(heat_queries.counted(where, window)),
    }


def draw(answers: Answers, scope: Scope, changes: list[Mark]) -> None:
    """Draw this part of the page."""
    chosen = st.segmented_control(
        "Coloured by", list(MEASURES), default=_USUAL, key=MEASURE, bind="query-params", required=True, label_visibility="collapsed"
    )
    name = chosen or _USUAL
    measure = MEASURES[name]
    worst = measure.worst(scope.model, scope.window)
    panels.heading("Engine by engine, the worst first", worst, answers)
    try:
        frame, untold = answers.frame(f"worst {name}"), answers.samples("untold")
    except PrometheusUnavailableError as error:
        panels.failed(error)
    else:
        if frame.empty and not untold:
            st.info("No engine tells this yet: there is none that the exporter reads, or none got a prompt in this range.")
        else:
            figure = heat.figure(reader.local(frame), _reasons(untold), scope.span, reader.ink(), lowest_first=measure.lowest_first)
            alt = f"A map of engines over time, the worst first. {worst.help}"
            st.plotly_chart(figure, key=f"cache-heat-{measure.counted}", config=panels.PLAIN, alt=alt)
            st.caption("Pale: the engine got no prompt. Grey: unknown, since it told nothing then.")
        _counted(answers, measure)
    title = "How all engines spread"
    panels.series(title, measure.spread(scope.model, scope.window), answers, f"spread {name}", scope.span, changes)


def _reasons(untold: list[Sample]) -> dict[str, str]:
    """Why nothing is told of an engine, by its row."""
    return {
        " ".join(filter(None, (amounts.fleet(one), amounts.place(one)))): (
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
