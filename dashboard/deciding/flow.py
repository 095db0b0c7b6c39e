"""The flow picture: which way requests went, from strategy over path to the engines."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

import pandas as pd
import plotly.graph_objects as go

from dashboard import palette, sites
from dashboard.deciding.shortened import shortened
from dashboard.picture import literal
from dashboard.promapi import Sample
from stack.control.decision import DecisionRecord
from stack.metrics.family import Label
from stack.model.tier import Pool

ENGINES_SHOWN = 8  # a pool; the rest is drawn as one, or a large fleet is a grey wall
ROWS_SHOWN = 200  # ways, of the table
_ROW_PIXELS, _HEIGHT_MIN = 34, 240
_LETTERS, _LETTERS_ENGINE = 16, 14  # of a name; the words of two columns of engines are between them
_LETTER_PIXELS, _BETWEEN_PIXELS = 6.3, 24  # of a letter, and of what else there is from one column to the next


class Stage(IntEnum):
    """A column of the picture."""

    MODEL = 0
    STRATEGY = 1
    PATH = 2
    PREFILL = 3
    DECODE = 4


@dataclass(frozen=True, slots=True, order=True)
class Station:
    """Where a request passed. An engine is one station whichever path leads there."""

    stage: Stage
    name: str


@dataclass(frozen=True, slots=True)
class Way:
    """Stations in order, and how many requests passed them; `colour` tells the path."""

    stations: tuple[Station, ...]
    colour: str
    requests: float = 1


def ways(decisions: Sequence[DecisionRecord]) -> list[Way]:
    """The way of each request. Only where there are several models does it begin with the model."""
    several = len({decision.model for decision in decisions}) > 1
    return [_way(decision, several) for decision in decisions]


def counted(samples: Sequence[Sample]) -> list[Way]:
    """Ways as the routers' counters tell them, by strategy, path and decode engine: without prefill engines."""
    several = len({sample.labels.get(Label.MODEL_NAME) for sample in samples}) > 1
    engine = sites.names(samples, by=Label.BACKEND)
    return [_counted(sample, several, engine(sample)) for sample in samples if sample.value > 0]


def _counted(sample: Sample, several: bool, engine: str) -> Way:
    of = {label: sample.labels.get(label, "") for label in (Label.MODEL_NAME, Label.STRATEGY, Label.PATH)}
    model = of[Label.MODEL_NAME] if several else ""
    names = (model, of[Label.STRATEGY], of[Label.PATH], "", engine)
    return Way(_stations(names), palette.PATHS.get(of[Label.PATH], palette.GREY), sample.value)


def _way(decision: DecisionRecord, several: bool) -> Way:
    """A fallback is a path of its own: it is not what was asked for; so is what another gateway carried out."""
    path = f"{decision.path}, fallback" if decision.fallbacks else decision.path
    colour = palette.FALLBACK if decision.fallbacks else palette.PATHS.get(decision.path, palette.GREY)
    if decision.observed:  # this is only what would have been done
        path, colour = f"{decision.path}, observed", palette.GREY
    model = decision.model if several else ""
    names = (model, decision.decode.strategy, path, decision.prefill_engine or "", decision.engine)
    return Way(_stations(names), colour)


def _stations(names: Sequence[str]) -> tuple[Station, ...]:
    return tuple(Station(stage, name) for stage, name in zip(Stage, names, strict=True) if name)


def picture(drawn: Iterable[Way], ink: str) -> go.Figure:
    """A Sankey picture; each station says how many requests passed. `ink` is the colour of text.

    Its width is the least with which its words are beside each other.
    """
    gathered = _gathered(list(drawn))
    passed: dict[Station, float] = defaultdict(float)
    links: dict[tuple[Station, Station, str], float] = defaultdict(float)
    for one in gathered:
        for station in one.stations:
            passed[station] += one.requests
        for start, end in pairwise(one.stations):
            links[start, end, one.colour] += one.requests
    stations = sorted(passed)
    place = {station: number for number, station in enumerate(stations)}
    labels = {station: f"{_short(station)} ({passed[station]:,.0f})" for station in stations}
    figure = go.Figure()
    figure.add_sankey(
        node={
            "label": [literal(label) for label in labels.values()],
            "customdata": [literal(station.name) for station in stations],
            "hovertemplate": "%{customdata}: %{value:,.0f} requests<extra></extra>",
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
            "hovertemplate": "%{source.customdata} to %{target.customdata}: %{value:,.0f} requests<extra></extra>",
        },
        textfont={"size": 13, "color": ink, "shadow": "none"},
    )
    rows = max(Counter(station.stage for station in stations).values(), default=0)
    height = max(_HEIGHT_MIN, _ROW_PIXELS * rows)
    return figure.update_layout(width=_width(labels), height=height, margin={"l": 4, "r": 4, "t": 12, "b": 12})


def _short(station: Station) -> str:
    engine = station.stage in (Stage.PREFILL, Stage.DECODE)
    return shortened(station.name, _LETTERS_ENGINE if engine else _LETTERS)


def _width(labels: Mapping[Station, str]) -> int:
    """Columns are equally far apart; between the last two are the words of both."""
    letters: dict[Stage, int] = defaultdict(int)
    for station, label in labels.items():
        letters[station.stage] = max(letters[station.stage], len(label))
    columns = [letters[stage] for stage in sorted(letters)]
    between = max(*columns[:-1], sum(columns[-2:]), 0)
    return round(max(len(columns) - 1, 1) * (_LETTER_PIXELS * between + _BETWEEN_PIXELS))


def told(drawn: Sequence[Way]) -> str:
    """The picture in words: how many requests went which way."""
    parts: Counter[str] = Counter()
    for one in _gathered(drawn):
        parts[" to ".join(station.name for station in one.stations)] += round(one.requests)
    return "; ".join(f"{way}: {count}" for way, count in parts.most_common(ENGINES_SHOWN))


def table(drawn: Sequence[Way]) -> pd.DataFrame:
    """The picture as rows, most requests first, engines by their whole names; for who cannot see it, or has no room."""
    counts: dict[tuple[Station, ...], float] = defaultdict(float)
    for one in drawn:
        counts[one.stations] += one.requests
    rows = [
        {station.stage.name.lower(): station.name for station in stations} | {"requests": requests}
        for stations, requests in sorted(counts.items(), key=lambda item: -item[1])[:ROWS_SHOWN]
    ]
    columns = [stage.name.lower() for stage in Stage if any(stage.name.lower() in row for row in rows)]
    return pd.DataFrame(rows, columns=[*columns, "requests"])


def _gathered(drawn: Sequence[Way]) -> list[Way]:
    """`drawn` with a pool's least used engines as one station."""
    new = {**_gathering(drawn, Stage.PREFILL), **_gathering(drawn, Stage.DECODE)}
    return [Way(tuple(new.get(station, station) for station in one.stations), one.colour, one.requests) for one in drawn]


def _gathering(drawn: Sequence[Way], stage: Stage) -> Mapping[Station, Station]:
    used: dict[Station, float] = defaultdict(float)
    for one in drawn:
        for station in one.stations:
            if station.stage is stage:
                used[station] += one.requests
    if len(used) <= ENGINES_SHOWN:
        return {}
    rest = sorted(used, key=lambda station: -used[station])[ENGINES_SHOWN - 1 :]
    return dict.fromkeys(rest, Station(stage, f"{len(rest)} others"))


def _colour(station: Station) -> str:
    match station.stage:
        case Stage.PREFILL:
            return palette.POOLS[Pool.PREFILL]
        case Stage.DECODE:
            return palette.POOLS[Pool.DECODE]
        case Stage.PATH:
            return palette.FALLBACK if "fallback" in station.name else palette.PATHS.get(station.name, palette.GREY)
        case Stage.STRATEGY | Stage.MODEL:
            return palette.GREY
