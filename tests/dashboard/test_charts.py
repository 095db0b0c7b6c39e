"""Figures over time, from plain values."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest

from dashboard import charts, palette
from dashboard.marks import Mark
from stack.model.tier import Source

SPAN = charts.Span(datetime(1970, 1, 1, tzinfo=UTC), datetime(1970, 1, 1, 0, 15, tzinfo=UTC))
FRAME = pd.DataFrame(
    {
        "time": pd.to_datetime([1, 2, 1], unit="s", utc=True),
        "value": [1.0, 2.0, 5.0],
        "source": ["engine", "engine", "computed"],
    }
)


def test_a_line_for_each_label_value() -> None:
    figure = charts.lines(FRAME, ["source"], "tokens/s", SPAN)
    assert [(trace.name, list(trace.y)) for trace in figure.data] == [("computed", [5.0]), ("engine", [1.0, 2.0])]


def test_a_thing_has_its_colour_whatever_else_is_drawn() -> None:
    alone = charts.lines(FRAME[FRAME["source"] == "engine"], ["source"], "tokens/s", SPAN)
    assert alone.data[0].line.color == palette.SOURCES[Source.ENGINE]
    assert charts.lines(FRAME, ["source"], "tokens/s", SPAN).data[1].line.color == palette.SOURCES[Source.ENGINE]


def test_no_samples_draw_no_line() -> None:
    assert len(charts.lines(FRAME.head(0), ["source"], "seconds", SPAN).data) == 0


def test_series_without_labels_are_one_line() -> None:
    assert len(charts.lines(FRAME[["time", "value"]], [], "generations", SPAN).data) == 1


@pytest.mark.parametrize(
    ("unit", "ticks", "suffix", "title"),
    [("seconds", "~s", "s", None), ("ratio", "~g", " %", None), ("tokens/s", "~g", "", "tokens/s")],
)
def test_every_axis_says_its_unit(unit: str, ticks: str, suffix: str, title: str | None) -> None:
    axis = charts.lines(FRAME, ["source"], unit, SPAN).layout.yaxis
    assert (axis.tickformat, axis.ticksuffix, axis.title.text) == (ticks, suffix, title)


def test_a_ratio_is_drawn_from_none_to_all() -> None:
    half = FRAME.assign(value=0.5)
    drawn = charts.lines(half, ["source"], "ratio", SPAN)
    assert tuple(drawn.layout.yaxis.range) == (0, 102)
    assert {value for line in drawn.data for value in line.y} == {50.0}


def test_the_whole_span_is_shown_with_or_without_samples() -> None:
    assert charts.lines(FRAME, ["source"], "ratio", SPAN).layout.xaxis.range == ("1970-01-01T00:00:00", "1970-01-01T00:15:00")


def test_between_two_points_a_figure_stays_the_same() -> None:
    later, latest = (charts.Span(SPAN.start + moved, SPAN.end + moved) for moved in (timedelta(seconds=29), timedelta(seconds=30)))
    first, second, third = (charts.lines(FRAME, ["source"], "ratio", span).to_dict() for span in (SPAN, later, latest))
    assert first == second != third


def test_figures_of_different_phases_do_not_move_on_together() -> None:
    spans = [replace(SPAN, start=SPAN.start + moved, end=SPAN.end + moved) for moved in (timedelta(seconds=at) for at in range(60))]
    moves = {
        phase: [at for at in range(1, 60) if phased(spans[at], phase) != phased(spans[at - 1], phase)]
        for phase in (0.0, 1 / 3, 2 / 3)
    }
    assert moves == {0.0: [30], 1 / 3: [10, 40], 2 / 3: [20, 50]}


def phased(span: charts.Span, phase: float) -> object:
    return charts.lines(FRAME, ["source"], "ratio", replace(span, phase=phase)).layout.xaxis.range


def test_the_waterfall_stacks_the_cheapest_source_first() -> None:
    assert [trace.name for trace in charts.waterfall(FRAME, SPAN).data] == ["engine", "computed"]


def test_a_gap_in_the_waterfall_is_no_zero() -> None:
    frame = pd.DataFrame(
        {
            "time": pd.to_datetime([1, 2, 3, 4], unit="s", utc=True),
            "value": [1.0, None, 2.0, 3.0],
            "source": ["engine"] * 4,
        }
    )
    stacks = [(trace.stackgroup, list(trace.y), trace.showlegend) for trace in charts.waterfall(frame, SPAN).data]
    assert stacks == [("0", [1.0], True), ("1", [2.0, 3.0], False)]


def test_a_source_that_nobody_reports_has_no_bar() -> None:
    bar = charts.shares({Source.ENGINE: 0.75, Source.L2: 0.0, Source.COMPUTED: 0.25}).data[0]
    assert list(zip(bar.y, bar.text, strict=True)) == [("engine", "75 %"), ("l2", "0 %"), ("computed", "25 %")]


def test_fleets_of_several_namespaces_are_lines_of_their_own() -> None:
    frame = pd.DataFrame(
        {
            "time": pd.to_datetime([1, 1, 1], unit="s", utc=True),
            "value": [1.0, 2.0, 3.0],
            "path": ["dpd", "dpd", "direct"],
            "namespace": ["one", "two", None],
        }
    )
    figure = charts.lines(frame, ["path"], "seconds", SPAN)
    assert {trace.name: list(trace.y) for trace in figure.data} == {"one dpd": [1.0], "two dpd": [2.0], "direct": [3.0]}


def test_the_waterfall_adds_fleets_up_and_a_gap_of_one_is_no_gap_of_all() -> None:
    frame = pd.DataFrame(
        {
            "time": pd.to_datetime([1, 1, 2, 2, 3], unit="s", utc=True),
            "value": [1.0, 2.0, 4.0, None, None],
            "source": ["engine"] * 5,
            "cluster": ["a", "b", "a", "b", "b"],
        }
    )
    assert [list(trace.y) for trace in charts.waterfall(frame, SPAN).data] == [[3.0, 4.0]]


def test_a_limit_is_a_line_that_the_axis_reaches_beside_the_marks() -> None:
    change = Mark(SPAN.start, 2, "generation 2")
    figure = charts.level(charts.marked(charts.lines(FRAME, ["source"], "bytes/s", SPAN), [change]), 12.5, "link")
    assert [(shape.x0, shape.y0) for shape in figure.layout.shapes][1:] == [(0, 12.5)]
    assert [note.text for note in figure.layout.annotations] == ["link"]
    assert figure.data[-1].y == (12.5,)


@pytest.mark.parametrize(
    ("length", "step", "late"),
    [
        (timedelta(minutes=15), 10, timedelta(seconds=23)),
        (timedelta(hours=6), 180, timedelta(seconds=23)),
        (timedelta(days=1), 720, timedelta(seconds=23)),
        (timedelta(days=7), 5_040, timedelta(seconds=203)),
    ],
)
def test_what_is_drawn_ends_with_the_last_moments_however_long_it_is(length: timedelta, step: int, late: timedelta) -> None:
    end = datetime.fromtimestamp(1_800_000_203 - 1_800_000_000 % 2_520, UTC)
    steps = charts.Span(end - length, end).on_grid(step)
    assert end - steps.end == late
    assert (steps.end - steps.start).total_seconds() % step == 0
    assert steps.end - steps.start >= length
