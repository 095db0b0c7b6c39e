"""The waterfall as it stands: all prompt tokens, and step by step where their KV came from, until none is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import plotly.graph_objects as go

from dashboard import amounts, axes, palette
from stack.model.tier import Source

ALL = "all prompt tokens"
_ROW, _ROOM = 30, 1.5  # pixels of a step; room to the right of the last one for its words


@dataclass(frozen=True, slots=True)
class Step:
    """One source: tokens a second, and the share of all tokens from which its bar begins, and which it takes."""

    source: Source
    tokens: float
    begins: float
    share: float


def steps(rates: Mapping[Source, float]) -> list[Step]:
    """One step a source that is told, the cheapest first; the last ends at 1. None where no tokens came."""
    whole = sum(rates.values())
    if whole <= 0:
        return []
    found: list[Step] = []
    for source in Source:
        if source in rates:
            begins = found[-1].begins + found[-1].share if found else 0.0
            found.append(Step(source, rates[source], begins, rates[source] / whole))
    return found


def words(each: list[Step]) -> str:
    """The figure in a sentence, for those who do not see it."""
    return ", ".join(f"{step.source} {amounts.percent(step.share)}" for step in each)


def figure(each: list[Step]) -> go.Figure:
    """A bar a step, each beginning where the one above ends; a source that gave nothing keeps its row, so that rows stay put."""
    whole = sum(step.tokens for step in each)
    drawn = go.Figure()
    drawn.add_bar(
        x=[1.0, *(step.share for step in each)],
        base=[0.0, *(step.begins for step in each)],
        y=[ALL, *(step.source.value for step in each)],
        orientation="h",
        marker={"color": [palette.GREY, *(palette.SOURCES[step.source] for step in each)]},
        text=[f"{_amount(whole)} tokens/s", *(f"{amounts.percent(step.share)} · {_amount(step.tokens)}/s" for step in each)],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{text}<extra></extra>",
    )
    drawn.update_xaxes(range=(0, _ROOM), **axes.per_cent(4), zeroline=False, fixedrange=True)
    drawn.update_yaxes(autorange="reversed", showgrid=False, automargin=True, fixedrange=True)
    height = _ROW * (len(each) + 1) + 60
    return drawn.update_layout(height=height, margin={"l": 0, "r": 0, "t": 8, "b": 24}, bargap=0.25, showlegend=False)


def _amount(tokens: float) -> str:
    return f"{tokens:,.0f}" if tokens >= 10 or tokens == 0 else f"{tokens:.2g}"
