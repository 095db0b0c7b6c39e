"""The flow picture: which way requests went, from strategy over path to the engines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

import plotly.graph_objects as go

from dashboard import palette
from stack.control.decision import DecisionRecord
from stack.model.tier import Pool

ENGINES_SHOWN = 10  # a pool; the rest is drawn as one, or a large fleet is a grey wall
_ROW_PIXELS, _HEIGHT_MIN = 34, 240


class Stage(IntEnum):
    """A column of the picture."""

    STRATEGY = 0
    PATH = 1
    PREFILL = 2
    DECODE = 3


@dataclass(frozen=True, slots=True, order=True)
class Station:
    """Where a request passed. An engine is one station whichever path leads there."""

    stage: Stage
    name: str


@dataclass(frozen=True, slots=True)
class Way:
    """One request's stations in order; `colour` tells its path."""

    stations: tuple[Station, ...]
    colour: str


def way(decision: DecisionRecord) -> Way:
    """Strategy, path, prefill engine if any, decode engine. A fallback is a path of its own: it is not what was asked for."""
    path = f"{decision.path}, fallback" if decision.fallbacks else decision.path
    if decision.observed:  # another gateway's request: this is only what would have been done
        path = f"{decision.path}, observed"
    names = [
        (Stage.STRATEGY, decision.decode.strategy),
        (Stage.PATH, path),
        (Stage.PREFILL, decision.prefill_engine or ""),
        (Stage.DECODE, decision.engine),
    ]
    colour = palette.FALLBACK if decision.fallbacks else palette.PATHS.get(decision.path, palette.GREY)
    return Way(tuple(Station(stage, name) for stage, name in names if name), colour)


def picture(decisions: Iterable[DecisionRecord], ink: str) -> go.Figure:
    """A Sankey picture of `decisions`; each station says how many requests passed. `ink` is the colour of text."""
    ways = _gathered([way(decision) for decision in decisions])
    passed = Counter(station for one in ways for station in one.stations)
    links = Counter((start, end, one.colour) for one in ways for start, end in pairwise(one.stations))
    stations = sorted(passed)
    place = {station: number for number, station in enumerate(stations)}
    figure = go.Figure()
    figure.add_sankey(
        node={
            "label": [f"{station.name} ({passed[station]})" for station in stations],
            "color": [_colour(station) for station in stations],
            "pad": 22,
            "thickness": 14,
            "line": {"width": 0},
        },
        link={
            "source": [place[start] for start, _, _ in links],
            "target": [place[end] for _, end, _ in links],
            "value": list(links.values()),
            "color": [palette.translucent(colour, 0.35) for _, _, colour in links],
        },
        textfont={"size": 14, "color": ink, "shadow": "none"},
        valuesuffix=" requests",
        valueformat=",d",
    )
    rows = max(Counter(station.stage for station in stations).values(), default=0)
    return figure.update_layout(height=max(_HEIGHT_MIN, _ROW_PIXELS * rows), margin={"l": 4, "r": 4, "t": 12, "b": 12})


def _gathered(ways: Sequence[Way]) -> list[Way]:
    """`ways` with a pool's least used engines drawn as one station."""
    new = {**_gathering(ways, Stage.PREFILL), **_gathering(ways, Stage.DECODE)}
    return [Way(tuple(new.get(station, station) for station in one.stations), one.colour) for one in ways]


def _gathering(ways: Sequence[Way], stage: Stage) -> Mapping[Station, Station]:
    used = Counter(station for one in ways for station in one.stations if station.stage is stage)
    if len(used) <= ENGINES_SHOWN:
        return {}
    rest = [station for station, _ in used.most_common()[ENGINES_SHOWN - 1 :]]
    return dict.fromkeys(rest, Station(stage, f"{len(rest)} other engines"))


def _colour(station: Station) -> str:
    match station.stage:
        case Stage.PREFILL:
            return palette.POOLS[Pool.PREFILL]
        case Stage.DECODE:
            return palette.POOLS[Pool.DECODE]
        case Stage.PATH:
            return palette.FALLBACK if "fallback" in station.name else palette.PATHS.get(station.name, palette.GREY)
        case Stage.STRATEGY:
            return palette.GREY
