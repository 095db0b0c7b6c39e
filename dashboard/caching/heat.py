"""A map of engines over time: one row an engine, coloured by a ratio; idle is pale, unknown is grey and said so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from dashboard import amounts, axes, charts, palette
from dashboard.axes import HEIGHT
from dashboard.charts import Mark, Span
from dashboard.picture import Picture, Trace, literal
from dashboard.sites import Site, apart
from stack.metrics.family import Label
from stack.metrics.heat_queries import IDLE
from stack.metrics.promql import KEPT

_ROW, _LEAST = 18, 5  # pixels of a row, and for how many there is room in any case
_PALE = palette.translucent(palette.GREY, 0.28)
_UNKNOWN = palette.translucent(palette.GREY, 0.75)
_COLOURS = "Cividis"  # told apart by lightness, whatever colours a reader sees


def whom(frame: pd.DataFrame) -> list[tuple[str, str, str, str]]:
    """Whom each point of `frame` is about: cluster, namespace, pool and engine."""
    told = frame.reindex(columns=[*KEPT, Label.POOL, Label.REPLICA], fill_value="").fillna("")
    return list(told.itertuples(index=False, name=None))


def rows(frame: pd.DataFrame) -> pd.Series:
    """The name of the row that each point belongs to: pool and engine, and the site where there are several."""
    several = bool(apart(frame))
    each = [(Site(cluster, namespace), f"{pool} {name}".strip()) for cluster, namespace, pool, name in whom(frame)]
    return pd.Series([site.named(name) if several else name for site, name in each], index=frame.index, dtype=object)


def figure(
    frame: pd.DataFrame, untold: Mapping[str, str], span: Span, ink: str, marks: Sequence[Mark] = (), *, lowest_first: bool
) -> Picture:
    """`frame`'s rows (a ratio over time), the worst now on top; below them engines of which nothing is told, with the reason.

    `ink` is the colour of text. Marks stand below the last row.
    """
    values, idle = _tables(frame)
    order = list(values.ffill(axis="columns").iloc[:, -1].sort_values(ascending=lowest_first).index) if len(values) else []
    names = [*order, *(name for name in idle.index if name not in values.index), *untold]
    times = sorted({*values.columns, *idle.columns}) or list(pd.DatetimeIndex([span.start, span.end]))
    known, pale = (table.reindex(index=names, columns=times).rename(index=literal) for table in (values, idle))
    on = list(known.index)
    moments = [axes.digits(at) for at in times]
    traces = []
    nothing = known.isna() & pale.isna()
    if bool(nothing.to_numpy().any()):
        words = [[f"{amounts.UNKNOWN}: {untold.get(name, 'not told then')}"] * len(times) for name in names]
        traces.append(_flat(nothing, moments, _UNKNOWN, words))
    traces.append(_flat(pale.notna(), moments, _PALE, [["no prompt: no share"] * len(times)] * len(names)))
    traces.append({
        "type": "heatmap", "z": known.to_numpy(), "x": moments, "y": on, "zmin": 0, "zmax": 1, "colorscale": _COLOURS, "ygap": 1,
        "colorbar": {**axes.per_cent(5), "thickness": 12, "outlinewidth": 0}, "hoverongaps": False,
        "text": known.map(amounts.percent).to_numpy(), "hovertemplate": "%{y} at %{x|%H:%M:%S}: %{text}<extra></extra>",
    })  # fmt: skip
    beside = {"x": 0, "xref": "paper", "xanchor": "left", "showarrow": False, "font": {"size": 11, "color": ink}}
    layout = {
        "height": _ROW * max(len(names), _LEAST) + 60, "margin": {"l": 0, "r": 8, "t": 8, "b": 24}, "showlegend": False,
        "xaxis": {"range": [axes.digits(span.start), axes.digits(span.end)], "tickformat": "%H:%M", "showgrid": False},
        "yaxis": {"type": "category", "autorange": "reversed", "automargin": True, "fixedrange": True, "showgrid": False},
        "annotations": [{**beside, "y": literal(name), "text": f"{amounts.UNKNOWN}: {why}"} for name, why in untold.items()],
    }  # fmt: skip
    return charts.marked(Picture(traces, layout), marks, foot=on[-1] if on else 0)


def spread(counts: Mapping[str, Mapping[int, float]]) -> go.Figure:
    """How many engines of each pool are in each tenth, from 0 to 9."""
    drawn = go.Figure()
    words = [f"{10 * tenth} to {10 * tenth + 10} %" for tenth in range(10)]
    for pool, tenths in sorted(counts.items()):
        colour = palette.stroke((pool,), 0).colour
        drawn.add_bar(
            x=[10 * tenth + 5 for tenth in range(10)], y=[tenths.get(tenth, 0) for tenth in range(10)],
            name=literal(pool) or "engines", marker={"color": colour},
            customdata=words, hovertemplate="%{customdata}: %{y} %{fullData.name}<extra></extra>",
        )  # fmt: skip
    drawn.update_xaxes(range=(0, 100), dtick=20, ticksuffix=" %")
    drawn.update_yaxes(title="engines", rangemode="tozero", automargin=True)
    legend = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    return drawn.update_layout(height=HEIGHT, margin={"l": 0, "r": 20, "t": 32, "b": 0}, legend=legend, showlegend=True)


def _tables(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ratios, and where there were none since nothing was asked: a row an engine, a column a time."""
    if frame.empty:
        return pd.DataFrame(), pd.DataFrame()
    named = frame.assign(row=rows(frame), idle=frame[Label.STATE].eq(IDLE) if Label.STATE in frame else False)

    def table(part: pd.DataFrame) -> pd.DataFrame:
        return part.groupby(["row", "time"])["value"].last().unstack() if len(part) else pd.DataFrame()

    return table(named[~named["idle"]]), table(named[named["idle"]])


def _flat(there: pd.DataFrame, moments: list[str], colour: str, words: list[list[str]]) -> Trace:
    """Cells of one colour where `there` is true."""
    return {
        "type": "heatmap", "z": there.astype(float).where(there).to_numpy(), "x": moments, "y": list(there.index), "text": words,
        "showscale": False, "colorscale": [[0, colour], [1, colour]], "ygap": 1, "hoverongaps": False,
        "hovertemplate": "%{y}: %{text}<extra></extra>",
    }  # fmt: skip
