"""Figures over time: plotly from plain values, the unit on every axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Protocol

import numpy as np
import pandas as pd

from dashboard import amounts, axes, palette
from dashboard.axes import HEIGHT
from dashboard.picture import Picture, Trace, literal
from dashboard.promapi import step_seconds
from dashboard.sites import apart
from stack.model.tier import Source

Parts = dict[tuple[str, ...], tuple[list[str], list[float | None]]]
"""The lines of a chart, by the label values that tell them apart: times, and values, None in a gap."""


@dataclass(frozen=True, slots=True)
class Span:
    """The time a figure shows, with data or without: a gap at its end is a gap, not the end of the axis.

    `phase` is the part of the time between two moves of its grid by which it moves on later than others'.
    """

    start: datetime
    end: datetime
    phase: float = 0.0

    @property
    def universal(self) -> Span:
        """The same in UTC."""
        return replace(self, start=self.start.astimezone(UTC), end=self.end.astimezone(UTC))

    def on_grid(self, step: int) -> Span:
        """Whole `step`s of seconds that end within the last half minute, or a little before in ranges of days.

        It moves on by jumps: until the next one it is neither asked for nor drawn anew, and all who look share the answers.
        """
        jump = max(min(3 * step, 30), step // 24)
        late = round(self.phase * jump)
        end = (self.end.timestamp() - late) // jump * jump + late
        start = end - math.ceil((self.end - self.start).total_seconds() / step) * step
        zone = self.end.tzinfo
        return replace(self, start=datetime.fromtimestamp(start, zone), end=datetime.fromtimestamp(end, zone))


class Mark(Protocol):
    """Something that happened at a moment, in words."""

    @property
    def at(self) -> datetime: ...

    @property
    def words(self) -> str: ...


def lines(frame: pd.DataFrame, by: Sequence[str], unit: str, span: Span) -> Picture:
    """One line for each combination of the labels `by`; a gap in the samples is a gap in the line.

    Fleets of several clusters or namespaces are told apart, too: their lines are never one.
    """
    parts = _parts(frame, (*apart(frame), *by), unit)
    traces = [_line(words, times, values, number) for number, (words, (times, values)) in enumerate(sorted(parts.items()))]
    return Picture(traces, _layout(unit, span))


def _line(words: tuple[str, ...], times: list[str], values: list[float | None], number: int) -> Trace:
    stroke = palette.stroke(words, number)
    return {
        "type": "scatter", "x": times, "y": values, "name": literal(" ".join(words)), "mode": "lines", "connectgaps": False,
        "line": {"color": stroke.colour, "dash": stroke.dash, "width": 2},
    }  # fmt: skip


def marked(figure: Picture, marks: Sequence[Mark], foot: float | str = 0) -> Picture:
    """`figure` with a line where somebody changed something; what it was is told where the line begins, at `foot` of its axis."""
    if not marks:
        return figure
    moments = [axes.digits(mark.at) for mark in marks]
    dashed = {"color": palette.GREY, "dash": "dash", "width": 1}
    shapes = [{"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "yref": "y domain", "line": dashed} for at in moments]
    markers: Trace = {
        "type": "scatter", "x": moments, "y": [foot] * len(marks), "mode": "markers", "name": "changes", "cliponaxis": False,
        "marker": {"symbol": "triangle-up", "size": 10, "color": palette.MARK}, "text": [literal(mark.words) for mark in marks],
        "hovertemplate": "%{text}<extra></extra>",
    }  # fmt: skip
    return figure.with_parts([markers], shapes=shapes)


def level(figure: Picture, value: float, words: str) -> Picture:
    """`figure` with a line at `value`, which its axis reaches: a limit, say."""
    dotted = {"color": palette.MARK, "dash": "dot", "width": 2}
    line = {"type": "line", "x0": 0, "x1": 1, "xref": "x domain", "y0": value, "y1": value, "line": dotted}
    note = {"x": 0, "xref": "x domain", "y": value, "text": words, "showarrow": False, "xanchor": "left", "yanchor": "bottom"}
    unseen: Trace = {"type": "scatter", "x": [None], "y": [value], "showlegend": False, "hoverinfo": "skip"}
    return figure.with_parts([unseen], shapes=[line], annotations=[note])


def waterfall(frame: pd.DataFrame, span: Span) -> Picture:
    """Prompt tokens per second by source, stacked in the order of cost. Where nothing is known nothing is drawn."""
    return stacked(frame, "source", {source.value: colour for source, colour in palette.SOURCES.items()}, "tokens/s", span)


def stacked(frame: pd.DataFrame, label: str, colours: Mapping[str, str], unit: str, span: Span) -> Picture:
    """One area for each value of `label` that has a colour, in the colours' order from below.

    Fleets are added up; a gap of all of them stays one.
    """
    added = {words[0]: _added(times, values) for words, (times, values) in _parts(frame, [label], unit).items() if words}
    known = {name: values for name in colours if (values := added.get(name))}
    named: set[str] = set()
    traces = []
    # Plotly reads a gap in a stack as zero: so each unbroken stretch of time is a stack of its own.
    for number, stretch in enumerate(_stretches(sorted({at for values in added.values() for at in values}), known)):
        for name, values in known.items():
            if any(values.get(at) is not None for at in stretch):
                layer = _layer(name, colours[name], stretch, [values.get(at) for at in stretch])
                traces.append({**layer, "stackgroup": str(number), "showlegend": name not in named})
                named.add(name)
    return Picture(traces, _layout(unit, span, traceorder="normal"))


def _added(times: Sequence[str], values: Sequence[float | None]) -> dict[str, float | None]:
    """The sum at each time, None where there is nothing to add."""
    found: dict[str, float | None] = {}
    for at, value in zip(times, values, strict=True):
        before = found.get(at)
        found[at] = value if before is None else before if value is None else before + value
    return found


def _stretches(times: Sequence[str], known: Mapping[str, Mapping[str, float | None]]) -> Iterator[list[str]]:
    """The times at which anything is known, each unbroken stretch of them together."""
    stretch: list[str] = []
    for at in times:
        if any(values.get(at) is not None for values in known.values()):
            stretch.append(at)
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def _layer(name: str, colour: str, times: list[str], values: list[float | None]) -> Trace:
    return {
        "type": "scatter", "x": times, "y": values, "name": name, "mode": "lines", "legendgroup": name,
        "line": {"width": 0.5, "color": colour}, "fillcolor": palette.translucent(colour, 0.85),
    }  # fmt: skip


def shares(ratios: Mapping[Source, float]) -> Picture:
    """The waterfall as it stands: one bar a known source, the cheapest on top; a source nobody reports has no bar."""
    known = [source for source in Source if source in ratios]
    bar: Trace = {
        "type": "bar",
        "x": [ratios[source] for source in known],
        "y": [source.value for source in known],
        "orientation": "h",
        "marker": {"color": [palette.SOURCES[source] for source in known]},
        "text": [amounts.percent(ratios[source]) for source in known],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": "%{y}: %{text}<extra></extra>",
    }
    layout = {
        "height": HEIGHT, "margin": {"l": 0, "r": 0, "t": 8, "b": 24}, "bargap": 0.35, "showlegend": False,
        "xaxis": {"range": [0, 1.15], **axes.per_cent(2), "zeroline": False},
        "yaxis": {"autorange": "reversed", "showgrid": False},
    }  # fmt: skip
    return Picture([bar], layout)


def _layout(unit: str, span: Span, **legend: str) -> dict[str, Any]:
    """The axis moves on with the points: between two of them nothing changes, and the browser draws nothing anew."""
    steps = span.on_grid(step_seconds(span.start, span.end))
    return axes.layout(unit, steps.start, steps.end, **legend)


def _parts(frame: pd.DataFrame, by: Sequence[str], unit: str) -> Parts:
    """In plain lists: a page draws thousands of points at once, and pandas' groups of a few dozen cost more than all of them."""
    found: Parts = {}
    if frame.empty:
        return found
    # A label that a series has not is an empty one, as Prometheus has it.
    labels = [frame[label].fillna("").tolist() for label in by if label in frame]
    times = np.datetime_as_string(frame["time"].dt.tz_localize(None).to_numpy(dtype="datetime64[s]")).tolist()
    values = [None if value != value else value for value in (frame["value"] * axes.scale(unit).times).tolist()]
    for at, value, *words in zip(times, values, *labels, strict=True):
        part = found.setdefault(tuple(word for word in words if word), ([], []))
        part[0].append(at)
        part[1].append(value)
    return found
