"""Where a request's time goes, phase by phase, on either path: means, since those add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from dashboard import amounts, charts, palette, panels, reader
from dashboard.asking import Answers, Now, Over, Question
from dashboard.charts import Span
from dashboard.marks import Mark
from dashboard.picture import Picture, Trace, literal
from dashboard.promapi import PrometheusUnavailableError, Sample
from dashboard.scope import Scope
from dashboard.transfers.fleets import one_fleet
from stack.metrics import dpd_queries
from stack.metrics.family import Label
from stack.model.tier import Path

_BARS_HEIGHT, _RECENT = 190, "5m"
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
    st.caption("Means over the requests of each path: the phases add up to the whole. Quantiles of phases would not add up.")
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
    for column, path in zip(st.columns(2), _TITLES, strict=True):
        with column:
            _course(frame, path, scope.span, marks)


def bars(samples: Sequence[Sample]) -> Picture:
    """One bar a path, made of its phases in the order in which they happen; the whole is written at its end."""
    found = _parts(samples)
    traces = [_bar(phase, colour, found) for phase, colour in palette.PHASES.items()]
    wholes = {path: sum(parts.values()) for path, parts in found.items()}
    notes = [
        {
            "x": whole,
            "y": literal(_title(path)),
            "text": amounts.duration(whole),
            "showarrow": False,
            "xanchor": "left",
            "xshift": 6,
        }
        for path, whole in wholes.items()
    ]
    layout = {
        "height": _BARS_HEIGHT, "barmode": "stack", "bargap": 0.35, "margin": {"l": 0, "r": 8, "t": 32, "b": 0}, "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"}, "annotations": notes,
        "xaxis": {"tickformat": "~s", "ticksuffix": "s", "range": [0, max(wholes.values()) * 1.15 or 1.0]},
        "yaxis": {"automargin": True},
    }  # fmt: skip
    return Picture([trace for trace in traces if trace["x"]], layout)


def _bar(phase: str, colour: str, found: Mapping[str, Mapping[str, float]]) -> Trace:
    shown = {path: parts[phase] for path, parts in found.items() if phase in parts}
    return {
        "type": "bar", "orientation": "h", "name": phase, "marker": {"color": colour},
        "x": list(shown.values()), "y": [literal(_title(path)) for path in shown],
        "customdata": [amounts.duration(value) for value in shown.values()],
        "hovertemplate": f"%{{y}}, {phase}: %{{customdata}}<extra></extra>",
    }  # fmt: skip


def described(samples: Sequence[Sample]) -> str:
    """The bars in words."""
    return " ".join(
        f"{_title(path)}: "
        + ", ".join(f"{phase} {amounts.duration(parts[phase])}" for phase in palette.PHASES if phase in parts)
        + "."
        for path, parts in _parts(samples).items()
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
    """Seconds by path and phase, the direct path first."""
    found: dict[str, dict[str, float]] = {}
    for sample in sorted(samples, key=lambda one: one.labels.get(Label.PATH, "")):
        found.setdefault(sample.labels.get(Label.PATH, ""), {})[sample.labels.get(Label.PHASE, "")] = sample.value
    return found


def _title(path: str) -> str:
    return "disaggregated" if path == Path.DPD else path
