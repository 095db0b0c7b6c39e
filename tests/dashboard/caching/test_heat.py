"""Engines over time as a map."""

import math
from datetime import UTC, datetime

import pandas as pd

from dashboard.caching import heat
from dashboard.charts import Span
from dashboard.marks import Mark

SPAN = Span(datetime(1970, 1, 1, tzinfo=UTC), datetime(1970, 1, 1, 0, 15, tzinfo=UTC))


def frame(*points: tuple[int, str, float, str]) -> pd.DataFrame:
    """Points of decode engines: second, engine, value, state."""
    rows = [
        {"time": pd.Timestamp(at, unit="s", tz="UTC"), "pool": "decode", "replica": name, "value": value, "state": state}
        for at, name, value, state in points
    ]
    return pd.DataFrame(rows)


POINTS = frame((60, "a", 0.9, ""), (120, "a", 0.8, ""), (60, "b", 0.7, ""), (120, "b", 0.2, ""))


def test_the_worst_now_is_on_top_whatever_it_was_before() -> None:
    lowest = heat.figure(POINTS, {}, SPAN, "#000", lowest_first=True).data[-1]
    assert list(lowest.y) == ["decode b", "decode a"]
    assert [list(row) for row in lowest.z] == [[0.7, 0.2], [0.9, 0.8]]
    assert list(heat.figure(POINTS, {}, SPAN, "#000", lowest_first=False).data[-1].y) == ["decode a", "decode b"]


def test_an_engine_without_prompts_is_neither_unknown_nor_without_hits() -> None:
    idle, shown = heat.figure(frame((60, "a", 0.9, ""), (120, "a", 0.0, "idle")), {}, SPAN, "#000", lowest_first=True).data
    assert [math.isnan(value) for value in shown.z[0]] == [False, True]
    assert [math.isnan(value) for value in idle.z[0]] == [True, False]
    assert idle.text[0][1] == "no prompt: no share"


def test_what_nobody_told_is_grey_and_says_why() -> None:
    figure = heat.figure(
        frame((60, "a", 0.9, ""), (120, "b", 0.5, "")), {"c": "the exporter cannot read it"}, SPAN, "#000", lowest_first=True
    )
    unknown = figure.data[0]
    assert list(unknown.y) == ["decode b", "decode a", "c"]
    assert [[not math.isnan(value) for value in row] for row in unknown.z] == [[True, False], [False, True], [True, True]]
    assert unknown.text[2][0] == "unknown: the exporter cannot read it"
    assert [note.text for note in figure.layout.annotations] == ["unknown: the exporter cannot read it"]


def test_engines_of_which_none_tells_are_rows_all_the_same() -> None:
    figure = heat.figure(
        pd.DataFrame(columns=["time", "value"]), {"c": "it tells no prompt tokens"}, SPAN, "#000", lowest_first=True
    )
    assert list(figure.data[0].y) == ["c"]


def test_engines_of_several_fleets_have_rows_of_their_own() -> None:
    both = pd.concat([POINTS.assign(cluster="east"), POINTS.assign(cluster="west")])
    assert set(heat.rows(both)) == {"east / decode a", "east / decode b", "west / decode a", "west / decode b"}


def test_how_engines_spread_has_a_bar_for_each_tenth_and_pool() -> None:
    decode, prefill = heat.spread({"prefill": {0: 2.0}, "decode": {9: 7.0, 3: 1.0}}).data
    assert (decode.name, decode.x[9], decode.customdata[9]) == ("decode", 95, "90 to 100 %")
    assert (decode.y[9], decode.y[3], sum(decode.y)) == (7.0, 1.0, 8.0)
    assert (prefill.name, prefill.y[0]) == ("prefill", 2.0)


def test_a_change_is_marked_below_the_last_row_and_adds_none() -> None:
    figure = heat.figure(POINTS, {}, SPAN, "#000", [Mark(SPAN.start, 2, "generation 2")], lowest_first=True)
    assert (figure.data[-1].name, figure.data[-1].y) == ("changes", ("decode a",))
    assert [shape.x0 for shape in figure.layout.shapes] == ["1970-01-01T00:00:00"]
