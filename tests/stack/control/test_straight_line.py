"""A line through samples tells its two parts, and others' values as far as the samples do."""

from __future__ import annotations

import random

import pytest

from stack.control.straight_line import Line

Pairs = list[tuple[float, float]]


def samples(low: int, high: int, count: int = 400, *, start: float = 0.012, slope: float = 0.0001, seed: int = 1) -> Pairs:
    """Times that scatter by a tenth."""
    draw = random.Random(seed)
    xs = [draw.randint(low, high) for _ in range(count)]
    return [(x, (start + slope * x) * draw.gauss(1.0, 0.1)) for x in xs]


def test_a_fixed_part_and_one_that_grows_are_told_apart() -> None:
    start, slope = Line.through(samples(10, 2_000)).parts()
    assert start.value == pytest.approx(0.012, rel=0.1)
    assert slope.value == pytest.approx(0.0001, rel=0.05)
    assert start.low is not None
    assert start.high is not None
    assert start.low < 0.012 < start.high
    at = Line.through(samples(10, 2_000)).at(1_500)
    assert at.value == pytest.approx(0.162, rel=0.03)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    held = 0
    for seed in range(200):
        at = Line.through(samples(10, 2_000, 100, seed=seed)).at(1_000)
        assert at.low is not None
        assert at.high is not None
        held += at.low <= 0.112 <= at.high
    assert 182 <= held <= 198


def test_samples_of_short_ones_do_not_tell_of_long_ones() -> None:
    line = Line.through(samples(5, 40))
    assert line.at(1_500).unknown == "samples at 5 to 40 do not tell of 1,500"
    assert line.at(20).value == pytest.approx(0.014, rel=0.03)


def test_one_long_one_among_short_ones_does_not_tell_of_long_ones() -> None:
    short = samples(5, 40)
    assert (
        Line.through([*short[:200], (1_500.0, 0.5), *short[200:]]).at(1_500).unknown == "samples at 5 to 1,500 do not tell of 1,500"
    )
    assert Line.through([(5.0, 0.012)] * 40 + [(1_500.0, 0.5)]).at(1_500).value is None


def test_samples_of_one_length_tell_of_that_length() -> None:
    line = Line.through([(1_000.0, 0.5)] * 40)
    assert (line.at(1_000).value, line.at(1_001).value) == (0.5, None)
    assert line.parts()[0].unknown == "samples at 1,000 to 1,000 do not tell a fixed part from one that grows"


def test_neither_part_is_below_zero() -> None:
    assert Line.through([(float(x), 1.0 - x / 100) for x in range(40)]).slope == 0
    steep = Line.through([(float(x), max(x - 5.0, 0.0)) for x in range(40)])
    assert steep.start == 0
    assert steep.slope == pytest.approx(sum(x * max(x - 5, 0) for x in range(40)) / sum(x * x for x in range(40)))


def test_few_samples_tell_nothing() -> None:
    line = Line.through(samples(10, 2_000, 29))
    assert {one.unknown for one in (line.at(100), *line.parts())} == {"too few samples: 29 of at least 30"}
    drift = [(float(x % 7), x // 20 * 1.0) for x in range(200)]
    assert "worth" in (Line.through(drift).at(3).unknown or "")
