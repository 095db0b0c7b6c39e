"""The histogram of prompt lengths with the threshold that is tried: which prompts go where, and which way was quicker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log2, sqrt

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard import palette
from stack.control.break_even import BAND_LEAST, Band
from stack.control.prompt_lengths import LengthBin
from stack.control.what_if import WhatIf
from stack.model.tier import Path

HEIGHT, HEIGHT_BANDS = 290, 150  # pixels
_BELOW = 16  # pixels: the words at two lines that are near each other are not at one height
_HEADROOM = 1.3  # above the highest bar, for the words at the lines
_FLOOR = BAND_LEAST / 2  # prompts below BAND_LEAST tokens are one bin, drawn as wide as one that doubles


@dataclass(frozen=True, slots=True)
class Part:
    """Some of a bin's prompts, and where they would go."""

    name: str
    colour: str


DIRECT = Part("direct", palette.PATHS[Path.DIRECT])
HELD = Part("direct: a decode engine holds it", "#38b6d8")
UNSURE = Part("disaggregated, or direct: not known who holds it", palette.GREY)
AWAY = Part("disaggregated", palette.PATHS[Path.DPD])
PARTS = (DIRECT, HELD, UNSURE, AWAY)


def ways(one: LengthBin, threshold: int | None) -> dict[Part, int]:
    """How many of a bin's prompts would go which way; None: disaggregation is off."""
    if threshold is None or one.least < threshold:
        return {DIRECT: one.requests}
    return {HELD: one.held, UNSURE: one.unsure, AWAY: one.requests - one.held - one.unsure}


def picture(view: WhatIf, tried: int, ink: str) -> go.Figure:
    """Prompts by length, coloured by where `tried` sends them; below, where both were seen, how much quicker either way was."""
    bands = [band for band in view.bands if band.difference.value is not None]
    figure = make_subplots(
        rows=2 if bands else 1, cols=1, shared_xaxes=True, vertical_spacing=0.08, row_heights=[0.68, 0.32] if bands else [1.0]
    )
    for part in PARTS:
        _bars(figure, view.lengths, part, tried)
    if bands:
        _differences(figure, bands, ink)
    _lines(figure, view, tried, ink)
    ticks = [_FLOOR, *(BAND_LEAST * 2**step for step in range(_doublings(view, tried) + 1))]
    figure.update_xaxes(
        tickvals=[log2(tick) for tick in ticks], ticktext=["0", *(_short(int(tick)) for tick in ticks[1:])],
        range=[log2(_FLOOR) - 0.15, log2(ticks[-1]) + 0.15], showgrid=False, zeroline=False,
    )  # fmt: skip
    figure.update_xaxes(title="prompt tokens", row=2 if bands else 1, col=1)
    most = max((one.requests for one in view.lengths), default=1)
    figure.update_yaxes(title="requests", range=(0, _HEADROOM * most), row=1, col=1)
    return figure.update_layout(
        height=HEIGHT + (HEIGHT_BANDS if bands else 0), barmode="stack", bargap=0, margin={"l": 0, "r": 8, "t": 48, "b": 0},
        legend={"orientation": "h", "x": 0, "y": 1.04, "yanchor": "bottom", "traceorder": "normal"}, uirevision="lengths",
    )  # fmt: skip


def described(view: WhatIf, tried: int) -> str:
    """The picture in words, for who does not see it."""
    count: dict[str, int] = {part.name: 0 for part in PARTS}
    for one in view.lengths:
        for part, requests in ways(one, tried).items():
            count[part.name] += requests
    told = ", ".join(f"{requests:,} {name}" for name, requests in count.items() if requests)
    return f"Histogram of the prompt lengths of {view.requests:,} requests. With a threshold of {tried:,} tokens: {told or 'none'}."


def _bars(figure: go.Figure, bins: tuple[LengthBin, ...], part: Part, tried: int) -> None:
    shown = [(one, requests) for one in bins if (requests := ways(one, tried).get(part, 0))]
    if not shown:
        return
    edges = [(_place(one.least), log2(one.below)) for one, _ in shown]
    figure.add_bar(
        x=[(left + right) / 2 for left, right in edges], width=[right - left for left, right in edges],
        y=[requests for _, requests in shown], name=part.name, marker={"color": part.colour, "line": {"width": 0}},
        customdata=[f"{one.least:,} to {one.below - 1:,}" for one, _ in shown],
        hovertemplate=f"%{{customdata}} tokens: %{{y}} {part.name}<extra></extra>", row=1, col=1,
    )  # fmt: skip


def _differences(figure: go.Figure, bands: list[Band], ink: str) -> None:
    known = list(_known(bands))
    figure.add_scatter(
        x=[one.at for one in known], y=[one.value for one in known], mode="markers", showlegend=False,
        marker={"size": 9, "color": [palette.PATHS[Path.DPD] if one.value < 0 else palette.PATHS[Path.DIRECT] for one in known]},
        error_y={
            "type": "data", "symmetric": False, "color": ink, "thickness": 1,
            "array": [one.above for one in known], "arrayminus": [one.under for one in known],
        },
        customdata=[one.words for one in known], hovertemplate="%{customdata}<extra></extra>", row=2, col=1,
    )  # fmt: skip
    figure.add_hline(y=0, line={"color": palette.GREY, "width": 1}, row=2, col=1)
    figure.update_yaxes(title="TTFT, ms", row=2, col=1)


@dataclass(frozen=True, slots=True)
class _Difference:
    """Disaggregated minus direct in milliseconds, with how far its interval reaches to either side."""

    at: float
    value: float
    above: float
    under: float
    words: str


def _known(bands: list[Band]) -> Iterator[_Difference]:
    for band in bands:
        said = band.difference
        if said.value is None or said.low is None or said.high is None:
            continue
        value, low, high = said.value * 1e3, said.low * 1e3, said.high * 1e3
        middle = _place(band.least) + 0.5
        words = f"{band.least:,} tokens and more: disaggregated {value:+,.0f} ms ({low:+,.0f} to {high:+,.0f}), of {said.samples}"
        yield _Difference(middle, value, high - value, value - low, words)


def _lines(figure: go.Figure, view: WhatIf, tried: int, ink: str) -> None:
    """The thresholds as lines: the one in force, and the one that is tried where that is another."""
    now = view.dpd.routing_threshold
    if view.dpd.enabled and now != tried:
        _line(figure, now, f"now {now:,}", palette.GREY, "dash")
    word = "now" if view.dpd.enabled and now == tried else "tried"
    _line(figure, tried, f"{word} {tried:,}", ink, "solid", below=_BELOW)


def _line(figure: go.Figure, tokens: int, words: str, colour: str, dash: str, below: int = 0) -> None:
    side = "right" if tokens <= _FLOOR * sqrt(2) else "left"
    figure.add_vline(
        x=_place(tokens), line={"color": colour, "dash": dash, "width": 2}, annotation_text=words,
        annotation_position=f"top {side}", annotation_font_color=colour, annotation_yshift=-below, row=1, col=1,
    )  # fmt: skip


def _place(tokens: int) -> float:
    """Where a length is on the axis."""
    return log2(max(tokens, _FLOOR))


def _doublings(view: WhatIf, tried: int) -> int:
    """How far the axis reaches beyond BAND_LEAST: as far as prompts and thresholds do."""
    most = max((view.lengths[-1].below if view.lengths else 0), view.dpd.routing_threshold, tried, BAND_LEAST)
    steps = 0
    while BAND_LEAST * 2**steps < most:
        steps += 1
    return steps


def _short(tokens: int) -> str:
    return f"{tokens}" if tokens < 1024 else f"{tokens // 1024}k"
