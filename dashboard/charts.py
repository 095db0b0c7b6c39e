"""Figures over time: plotly from plain values, the unit on every axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

import pandas as pd
import plotly.graph_objects as go

from dashboard import palette
from stack.metrics.promql import KEPT
from stack.model.tier import Source

HEIGHT = 270


@dataclass(frozen=True, slots=True)
class Span:
    """The time a figure shows, with data or without: a gap at its end is a gap, not the end of the axis."""

    start: datetime
    end: datetime

    @property
    def universal(self) -> Span:
        """The same in UTC."""
        return Span(self.start.astimezone(UTC), self.end.astimezone(UTC))

    def on_grid(self, step: int) -> Span:
        """From and to a whole multiple of `step` seconds: or points would jump about from one refresh to the next."""
        start, end = (datetime.fromtimestamp(at.timestamp() // step * step, UTC) for at in (self.start, self.end))
        return Span(start, end)


class Mark(Protocol):
    """Something that happened at a moment, in words."""

    @property
    def at(self) -> datetime: ...

    @property
    def words(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Scale:
    """How a unit is written: plotly's tick and hover formats, a suffix, the axis' title, and its range where it has one."""

    ticks: str
    hover: str
    suffix: str = ""
    title: str = ""
    range: tuple[float, float] | None = None


# d3's SI prefixes make 0.012 with the suffix s into 12ms.
_SCALES = {
    "seconds": Scale("~s", ".3~s", "s"),
    "bytes/s": Scale("~s", ".3~s", "B/s"),
    "ratio": Scale(".0%", ".1%", range=(0, 1.02)),  # a line at 100 % is not cut in half
}


def scale(unit: str) -> Scale:
    """The scale of a query's unit; counts and rates are written plainly, with the unit beside the axis."""
    return _SCALES.get(unit, Scale("~g", ".3~g", title=unit))


def lines(frame: pd.DataFrame, by: Sequence[str], unit: str, span: Span) -> go.Figure:
    """One line for each combination of the labels `by`; a gap in the samples is a gap in the line.

    Fleets of several clusters or namespaces are told apart, too: their lines are never one.
    """
    figure = _figure(unit, span)
    for number, (words, part) in enumerate(_parts(frame, (*apart(frame), *by))):
        stroke = palette.stroke(words, number)
        figure.add_scatter(
            x=part["time"], y=part["value"], name=" ".join(words), mode="lines", connectgaps=False,
            line={"color": stroke.colour, "dash": stroke.dash, "width": 2},
        )  # fmt: skip
    return figure


def marked(figure: go.Figure, marks: Sequence[Mark]) -> go.Figure:
    """`figure` with a line where somebody changed something; what it was is told where the line begins."""
    for mark in marks:
        figure.add_vline(x=_digits(mark.at), line={"color": palette.GREY, "dash": "dash", "width": 1})
    if marks:
        figure.add_scatter(
            x=[_digits(mark.at) for mark in marks], y=[0] * len(marks), mode="markers", name="changes", cliponaxis=False,
            marker={"symbol": "triangle-up", "size": 10, "color": palette.MARK}, text=[mark.words for mark in marks],
            hovertemplate="%{text}<extra></extra>",
        )  # fmt: skip
    return figure


def waterfall(frame: pd.DataFrame, span: Span) -> go.Figure:
    """Prompt tokens per second by source, stacked in the order of cost. Where nothing is known nothing is drawn."""
    figure = _figure("tokens/s", span).update_layout(legend={"traceorder": "normal"})
    if frame.empty:
        return figure
    # Fleets are added up; a gap of all of them stays one.
    table = frame.groupby(["time", "source"])["value"].sum(min_count=1).unstack()
    named: set[Source] = set()
    # Plotly reads a gap in a stack as zero: so each unbroken stretch of time is a stack of its own.
    for number, part in enumerate(_stretches(table)):
        for source in Source:
            if source.value in part and not part[source.value].isna().all():
                figure.add_scatter(
                    x=part.index, y=part[source.value], name=source.value, stackgroup=str(number), mode="lines",
                    legendgroup=source.value, showlegend=source not in named,
                    line={"width": 0.5, "color": palette.SOURCES[source]},
                    fillcolor=palette.translucent(palette.SOURCES[source], 0.85),
                )  # fmt: skip
                named.add(source)
    return figure


def _stretches(table: pd.DataFrame) -> Iterator[pd.DataFrame]:
    empty = table.isna().all(axis="columns")
    for _, part in table[~empty].groupby(empty.cumsum()[~empty]):
        yield part


def shares(ratios: Mapping[Source, float]) -> go.Figure:
    """The waterfall as it stands: one bar a known source, the cheapest on top; a source nobody reports has no bar."""
    known = [source for source in Source if source in ratios]
    figure = go.Figure()
    figure.add_bar(
        x=[ratios[source] for source in known],
        y=[source.value for source in known],
        orientation="h",
        marker={"color": [palette.SOURCES[source] for source in known]},
        text=[f"{ratios[source]:.0%}" for source in known],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:.1%}<extra></extra>",
    )
    figure.update_xaxes(range=(0, 1.15), tickformat=".0%", tickvals=[0, 0.5, 1], zeroline=False)
    figure.update_yaxes(autorange="reversed", showgrid=False)
    return figure.update_layout(height=HEIGHT, margin={"l": 0, "r": 0, "t": 8, "b": 24}, bargap=0.35, showlegend=False)


def _figure(unit: str, span: Span) -> go.Figure:
    form = scale(unit)
    figure = go.Figure()
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 0, "r": 8, "t": 32, "b": 0},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        showlegend=True,
        hovermode="x unified",
        uirevision=unit,  # a refresh keeps the reader's zoom and hidden lines
    )
    # Plotly writes a time's digits as they are: the caller has brought them into the reader's zone, and the range with them.
    figure.update_xaxes(range=[_digits(span.start), _digits(span.end)], tickformat="%H:%M", hoverformat="%H:%M:%S", automargin=True)
    figure.update_yaxes(**_axis(form))
    return figure


def _axis(form: Scale) -> dict[str, Any]:
    bounds = {"range": form.range} if form.range else {"rangemode": "tozero"}
    title = {"title": form.title} if form.title else {}
    texts = {"tickformat": form.ticks, "hoverformat": form.hover, "ticksuffix": form.suffix}
    return bounds | title | texts | {"automargin": True, "minallowed": 0}


def apart(frame: pd.DataFrame) -> tuple[str, ...]:
    """Those of the labels that tell fleets apart that have more than one value in `frame`, none being one."""
    return tuple(label for label in KEPT if label in frame and frame[label].nunique(dropna=False) > 1)


def _digits(at: datetime) -> str:
    return at.replace(tzinfo=None).isoformat()


def _parts(frame: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    present = [label for label in by if label in frame]
    if frame.empty:
        return
    if not present:
        yield (), frame
        return
    # A label that a series has not is an empty one, as Prometheus has it.
    for key, part in frame.groupby([frame[label].fillna("") for label in present], sort=True):
        yield tuple(word for word in map(str, key) if word), part
