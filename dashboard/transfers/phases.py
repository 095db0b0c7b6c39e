"""Where a request's time goes, phase by phase, on either path: means, since those add up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd
import streamlit as st

from dashboard import amounts, charts, palette, panels, reader
from dashboard.asking import Answers, Now, Over, Question
from dashboard.charts import Span
from dashboard.marks import Mark
from dashboard.picture import Picture, Trace, literal
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from dashboard.transfers.fleets import models, one_fleet, one_model
from stack.metrics import dpd_queries
from stack.metrics.family import Label
from stack.model.tier import Path

_HEIGHT, _BAR, _MOST, _RECENT = 130, 30, 12, "5m"  # pixels of all but bars, and of each; so many bars are drawn
_TITLES = {Path.DPD: "Disaggregated, over time", Path.DIRECT: "Direct, over time"}


def questions(scope: Scope) -> dict[str, Question]:
    """What has to be asked."""
    return {
        "phases": Over(dpd_queries.phase_parts(scope.model, scope.window)),
        "phases now": Now(dpd_queries.phase_parts(scope.model, _RECENT)),
    }


def phases(answers: Answers, scope: Scope, marks: Sequence[Mark]) -> None:
    """Draw the last minutes as bars, and the course of either path."""
    query = dpd_queries.phase_parts(scope.model, scope.window)
    panels.heading("Where a request's time goes", query, answers)
    st.caption("Means over a model's requests of each path: the phases add up to the whole. Quantiles of phases would not add up.")
    try:
        samples, frame = answers.samples("phases now"), answers.frame("phases")
    except PrometheusUnavailableError as error:
        panels.failed(error)
        return
    if frame.empty:
        st.info("No request has been answered in this range, or no router of kvdeck tells Prometheus: the phases are unknown.")
        return
    if not one_fleet(samples, frame, "Means of several fleets do not add up"):
        return
    if samples:
        st.plotly_chart(bars(samples), key="phases now", config=panels.PLAIN, alt=f"Last 5 minutes. {described(samples)}")
    else:
        st.caption("No request was answered in the last 5 minutes.")
    if (more := len({(one.labels.get(Label.MODEL_NAME), one.labels.get(Label.PATH)) for one in samples}) - _MOST) > 0:
        st.caption(f"Those that take longest; {more} more take less.")
    if not one_model(set(_served(frame)), "Over time the means of several models do not add up"):
        return
    for column, path in zip(st.columns(2), _TITLES, strict=True):
        with column:
            _course(frame, path, scope.span, marks)


def bars(samples: Sequence[Sample]) -> Picture:
    """One bar a path, of several models a path of each, made of its phases as they happen; the whole is written at its end."""
    found = _parts(samples)
    traces = [_bar(phase, colour, found) for phase, colour in palette.PHASES.items()]
    wholes = {title: sum(parts.values()) for title, parts in found.items()}
    notes = [
        {
            "x": whole,
            "y": literal(title),
            "text": amounts.duration(whole),
            "showarrow": False,
            "xanchor": "left",
            "xshift": 6,
        }
        for title, whole in wholes.items()
    ]
    layout = {
        "height": _HEIGHT + _BAR * len(found), "barmode": "stack", "bargap": 0.35, "showlegend": True,
        "margin": {"l": 0, "r": 8, "t": 32, "b": 0},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"}, "annotations": notes,
        "xaxis": {"tickformat": "~s", "ticksuffix": "s", "range": [0, max(wholes.values()) * 1.15 or 1.0]},
        "yaxis": {"type": "category", "automargin": True},
    }  # fmt: skip
    return Picture([trace for trace in traces if trace["x"]], layout)


def _bar(phase: str, colour: str, found: Mapping[str, Mapping[str, float]]) -> Trace:
    shown = {title: parts[phase] for title, parts in found.items() if phase in parts}
    return {
        "type": "bar", "orientation": "h", "name": phase, "marker": {"color": colour},
        "x": list(shown.values()), "y": [literal(title) for title in shown],
        "customdata": [amounts.duration(value) for value in shown.values()],
        "hovertemplate": f"%{{y}}, {phase}: %{{customdata}}<extra></extra>",
    }  # fmt: skip


def described(samples: Sequence[Sample]) -> str:
    """The bars in words."""
    return " ".join(
        f"{title}: " + ", ".join(f"{phase} {amounts.duration(parts[phase])}" for phase in palette.PHASES if phase in parts) + "."
        for title, parts in _parts(samples).items()
    )


def _course(frame: pd.DataFrame, path: Path, span: Span, marks: Sequence[Mark]) -> None:
    st.markdown(f"**{_TITLES[path]}**")
    mine = frame[frame[Label.PATH] == path]
    if mine.empty:
        st.info(f"No request took the {path} path in this range.")
        return
    figure = charts.stacked(reader.local(mine), Label.PHASE, palette.PHASES, "seconds", span)
    alt = f"Mean seconds a request spends in each phase, stacked, over time: {path} path."
    st.plotly_chart(charts.marked(figure, marks), key=f"phases {path}", config=panels.PLAIN, alt=alt)


def _parts(samples: Sequence[Sample]) -> dict[str, dict[str, float]]:
    """Seconds by title and phase: model by model, the direct path first; of many those that take longest."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for sample in samples:
        of = sample.labels.get(Label.MODEL_NAME, ""), sample.labels.get(Label.PATH, "")
        found.setdefault(of, {})[sample.labels.get(Label.PHASE, "")] = sample.value
    longest = sorted(found, key=lambda of: -sum(found[of].values()))[:_MOST]
    several = len(models(samples)) > 1
    return {_title(*of, several=several): found[of] for of in sorted(longest)}


def _title(model: str, path: str, *, several: bool) -> str:
    words = "disaggregated" if path == Path.DPD else path
    return f"{model} {words}".strip() if several else words


def _served(frame: pd.DataFrame) -> Iterable[str]:
    return frame[Label.MODEL_NAME].fillna("") if Label.MODEL_NAME in frame else ()
