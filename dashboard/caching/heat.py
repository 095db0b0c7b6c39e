"""A map of engines over time: one row an engine, coloured by a ratio; idle is pale, unknown is grey and said so."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import pandas as pd
import plotly.graph_objects as go

from dashboard import palette
from dashboard.axes import HEIGHT
from dashboard.charts import Span, apart
from stack.metrics.family import Label
from stack.metrics.heat_queries import IDLE

_ROW, _LEAST = 18, 5  # pixels of a row, and for how many there is room in any case
_PALE = palette.translucent(palette.GREY, 0.28)
_UNKNOWN = palette.translucent(palette.GREY, 0.75)
_COLOURS = "Cividis"  # told apart by lightness, whatever colours a reader sees


def rows(frame: pd.DataFrame) -> pd.Series:
    """The name of the row that each point of `frame` belongs to: pool and engine, and the fleet where there are several."""
    labels = [*apart(frame), *(label for label in (Label.POOL, Label.REPLICA) if label in frame)]
    return frame[labels].fillna("").agg(" ".join, axis="columns").str.strip()


def figure(frame: pd.DataFrame, untold: Mapping[str, str], span: Span, ink: str, *, lowest_first: bool) -> go.Figure:
    """`frame`'s rows (a ratio over time), the worst now on top; below them engines of which nothing is told, with the reason.

    `ink` is the colour of text.
    """
    values, idle = _tables(frame)
    order = list(values.ffill(axis="columns").iloc[:, -1].sort_values(ascending=lowest_first).index) if len(values) else []
    names = [*order, *(name for name in idle.index if name not in values.index), *untold]
    times = sorted({*values.columns, *idle.columns}) or list(pd.DatetimeIndex([span.start, span.end]))
    known, pale = (table.reindex(index=names, columns=times) for table in (values, idle))
    drawn = go.Figure()
    nothing = known.isna() & pale.isna()
    if bool(nothing.to_numpy().any()):
        words = [[f"unknown: {untold.get(name, 'not told then')}"] * len(times) for name in names]
        _flat(drawn, nothing, _UNKNOWN, words)
    _flat(drawn, pale.notna(), _PALE, [["no prompt: no share"] * len(times)] * len(names))
    drawn.add_heatmap(
        z=known.to_numpy(), x=times, y=names, zmin=0, zmax=1, colorscale=_COLOURS, ygap=1,
        colorbar={"tickformat": ".0%", "thickness": 12, "outlinewidth": 0}, hoverongaps=False,
        hovertemplate="%{y} at %{x|%H:%M:%S}: %{z:.1%}<extra></extra>",
    )  # fmt: skip
    font = {"size": 11, "color": ink}
    for name, why in untold.items():
        drawn.add_annotation(x=0, xref="paper", xanchor="left", y=name, text=f"unknown: {why}", showarrow=False, font=font)
    height = _ROW * max(len(names), _LEAST) + 60
    drawn.update_yaxes(autorange="reversed", automargin=True, fixedrange=True, showgrid=False)
    drawn.update_xaxes(range=[_digits(span.start), _digits(span.end)], tickformat="%H:%M", showgrid=False)
    return drawn.update_layout(height=height, margin={"l": 0, "r": 8, "t": 8, "b": 24}, showlegend=False)


def spread(counts: Mapping[str, Mapping[int, float]]) -> go.Figure:
    """How many engines of each pool are in each tenth, from 0 to 9."""
    drawn = go.Figure()
    words = [f"{10 * tenth} to {10 * tenth + 10} %" for tenth in range(10)]
    for pool, tenths in sorted(counts.items()):
        colour = palette.stroke((pool,), 0).colour
        drawn.add_bar(x=words, y=[tenths.get(tenth, 0) for tenth in range(10)], name=pool or "engines", marker={"color": colour})
    drawn.update_yaxes(title="engines", rangemode="tozero", automargin=True)
    legend = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    return drawn.update_layout(height=HEIGHT, margin={"l": 0, "r": 8, "t": 32, "b": 0}, legend=legend, showlegend=True)


def _tables(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ratios, and where there were none since nothing was asked: a row an engine, a column a time."""
    if frame.empty:
        return pd.DataFrame(), pd.DataFrame()
    named = frame.assign(row=rows(frame), idle=frame[Label.STATE].eq(IDLE) if Label.STATE in frame else False)

    def table(part: pd.DataFrame) -> pd.DataFrame:
        return part.groupby(["row", "time"])["value"].last().unstack() if len(part) else pd.DataFrame()

    return table(named[~named["idle"]]), table(named[named["idle"]])


def _flat(drawn: go.Figure, there: pd.DataFrame, colour: str, words: list[list[str]]) -> None:
    """Cells of one colour where `there` is true."""
    drawn.add_heatmap(
        z=there.astype(float).where(there).to_numpy(), x=list(there.columns), y=list(there.index), text=words, showscale=False,
        colorscale=[[0, colour], [1, colour]], ygap=1, hoverongaps=False, hovertemplate="%{y}: %{text}<extra></extra>",
    )  # fmt: skip


def _digits(at: datetime) -> str:
    return at.replace(tzinfo=None).isoformat()
