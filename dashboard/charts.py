"""Figures: plotly from plain values, one palette, units in every axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import pandas as pd
import plotly.graph_objects as go

from stack.model.tier import Source

# From the cheapest place a prompt token's KV can come from to the dearest; grey for what nobody knows.
SOURCE_COLOURS = {
    Source.ENGINE: "#0f9d76",
    Source.L1: "#38b6d8",
    Source.L2: "#4f6df5",
    Source.PEER: "#a05cf0",
    Source.COMPUTED: "#f0883e",
    Source.UNKNOWN: "#8b949e",
}
PALETTE = ["#4f6df5", "#0f9d76", "#f0883e", "#a05cf0", "#38b6d8", "#e5534b", "#c69026", "#8b949e"]
HEIGHT = 300


def lines(frame: pd.DataFrame, by: Sequence[str], unit: str, title: str) -> go.Figure:
    """One line for each combination of the labels `by`; a gap in the samples is a gap in the line."""
    figure = _figure(title, unit)
    for number, (name, part) in enumerate(_parts(frame, by)):
        colour = PALETTE[number % len(PALETTE)]
        figure.add_scatter(x=part["time"], y=part["value"], name=name, mode="lines", line={"color": colour}, connectgaps=False)
    return figure


def waterfall(frame: pd.DataFrame, title: str) -> go.Figure:
    """Prompt tokens per second by source, stacked in the order of cost."""
    figure = _figure(title, "tokens/s")
    for source in Source:
        part = frame[frame["source"] == source.value] if "source" in frame else frame.head(0)
        if not part.empty:
            figure.add_scatter(
                x=part["time"], y=part["value"], name=source.value, stackgroup="all", mode="none", fillcolor=SOURCE_COLOURS[source]
            )
    return figure


def flow(steps: Iterable[Sequence[str]], title: str) -> go.Figure:
    """A Sankey picture of requests; each step sequence is one request's way, such as strategy, path, engine."""
    counts = Counter(link for way in steps for link in pairwise(enumerate(way)))
    nodes = sorted({node for link in counts for node in link})
    place = {node: number for number, node in enumerate(nodes)}
    colours = [PALETTE[depth % len(PALETTE)] for depth, _ in nodes]
    figure = _figure(title, None)
    figure.add_sankey(
        node={"label": [name for _, name in nodes], "color": colours, "pad": 18, "thickness": 16},
        link={
            "source": [place[start] for start, _ in counts],
            "target": [place[end] for _, end in counts],
            "value": list(counts.values()),
            "color": "rgba(79, 109, 245, 0.25)",
        },
        valuesuffix=" requests",
    )
    return figure


def _figure(title: str, unit: str | None) -> go.Figure:
    figure = go.Figure()
    figure.update_layout(
        title={"text": title, "font": {"size": 15}}, height=HEIGHT, margin={"l": 10, "r": 10, "t": 40, "b": 10},
        legend={"orientation": "h", "y": -0.15}, hovermode="x unified" if unit else "closest",
    )  # fmt: skip
    if unit:
        figure.update_yaxes(title=unit, rangemode="tozero")
    return figure


def _parts(frame: pd.DataFrame, by: Sequence[str]) -> list[tuple[str, pd.DataFrame]]:
    present = [label for label in by if label in frame]
    if frame.empty or not present:
        return [("", frame)] if not frame.empty else []
    return [(" ".join(map(str, key)), part) for key, part in frame.groupby(present, sort=True)]
