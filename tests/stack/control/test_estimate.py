"""Intervals hold the truth as often as they say, and where there is too little to tell, that is said."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import pytest

from stack.control.estimate import Estimate, difference, needed, proportion, quantile, ratio

ROUNDS = 250


def covered(rounds: list[tuple[Estimate, float]]) -> float:
    """How often the interval held the truth."""
    return sum(got.low is not None and got.high is not None and got.low <= true <= got.high for got, true in rounds) / len(rounds)


def spread(values: Iterable[float]) -> list[float]:
    """In an order in which each part of them looks like all, so that none depends on its neighbours."""
    ordered = sorted(map(float, values))
    places = sorted(range(len(ordered)), key=lambda number: number * 0.618034 % 1)
    return [value for _, value in sorted(zip(places, ordered, strict=True))]


def flags(hits: int, count: int) -> list[bool]:
    """Spread evenly, so that none depends on another."""
    return [(number + 1) * hits // count > number * hits // count for number in range(count)]


def test_a_quantile_lies_between_two_of_the_values() -> None:
    hundred = spread(range(1, 101))
    assert quantile(hundred, 0.5) == Estimate(samples=100, value=50.0, low=40.0, high=61.0)  # the tabled ranks
    assert quantile(hundred, 0.95) == Estimate(samples=100, value=95.0, low=90.0, high=100.0)


@pytest.mark.parametrize(("share", "least"), [(0.5, 6), (0.95, 72), (0.99, 368)])
def test_with_too_few_values_there_is_no_quantile(share: float, least: int) -> None:
    assert needed(share) == least
    values = spread(range(least))
    assert quantile(values[:-1], share) == Estimate(
        samples=least - 1, unknown=f"too few samples: {least - 1} of at least {least}", least=least
    )
    whole = quantile(values, share)
    assert whole.value is not None
    assert (whole.high, whole.samples) == (least - 1, least)


def test_no_values_are_too_few() -> None:
    assert quantile([], 0.5).unknown == "too few samples: 0 of at least 6"
    assert proportion(flags(0, 0)).unknown == ratio([]).unknown == "too few samples: 0 of at least 30"


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_quantiles_of_a_skewed_distribution_are_covered(share: float) -> None:
    draw = random.Random(5)
    values = [[draw.expovariate(1.0) for _ in range(150)] for _ in range(ROUNDS)]
    truth = {0.5: 0.693147, 0.95: 2.995732}[share]
    assert covered([(quantile(each, share), truth) for each in values]) >= 0.94


def test_a_proportion_has_wilsons_interval() -> None:
    got = proportion(flags(81, 263))
    assert (got.value, got.low, got.high) == pytest.approx((0.30798, 0.25525, 0.36621), abs=1e-4)  # Newcombe 1998, table I
    none = proportion(flags(0, 100))
    assert (none.value, none.low) == (0.0, 0.0)
    assert none.high == pytest.approx(0.0370, abs=1e-4)
    assert proportion(flags(100, 100)).high == 1.0


def test_a_ratio_weighs_by_size() -> None:
    got = ratio([(0, 100), (900, 1_000)] * 20)
    assert (got.value, got.low, got.high) == pytest.approx((0.81818, 0.77149, 0.86487), abs=1e-4)
    assert ratio([(0, 0)] * 40).unknown == "a share of nothing"


def test_ratios_are_covered() -> None:
    draw = random.Random(6)
    rounds = []
    for _ in range(ROUNDS):
        sizes = [draw.uniform(100, 2_000) for _ in range(200)]
        rounds.append((ratio([(size * draw.choice((0.0, 0.9)), size) for size in sizes]), 0.45))
    assert 0.92 <= covered(rounds) <= 0.98


def test_a_difference_has_an_interval_made_of_both() -> None:
    after, before = proportion(flags(56, 70)), proportion(flags(48, 80))
    got = difference(after, before)
    # Newcombe 1998, table II, method 10, example (a)
    assert (got.value, got.low, got.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=1e-4)
    assert got.samples == 70


def test_a_difference_of_the_unknown_is_unknown() -> None:
    known, few = proportion(flags(5, 50)), proportion(flags(1, 5))
    assert difference(known, few) == Estimate(samples=5, unknown="before: too few samples: 5 of at least 30")
    assert difference(few, known) == Estimate(samples=5, unknown="after: too few samples: 5 of at least 30")


def test_equal_sides_differ_as_rarely_as_is_said() -> None:
    draw = random.Random(7)

    def side() -> Estimate:
        return quantile([draw.lognormvariate(0, 0.5) for _ in range(200)], 0.5)

    assert covered([(difference(side(), side()), 0.0) for _ in range(ROUNDS)]) >= 0.94


def queueing(draw: random.Random, count: int) -> list[float]:
    """Times in a queue that is busy 70 % of the time: neighbours wait alike."""
    wait, times = 0.0, []
    for _ in range(count + 100):
        wait = max(0.0, wait + draw.expovariate(1.0) - draw.expovariate(0.7))
        times.append(wait + draw.uniform(0.1, 0.3))
    return times[100:]


@pytest.mark.parametrize("made", [queueing, lambda draw, count: [draw.lognormvariate(0, 0.5) for _ in range(count)]])
def test_requests_that_fare_as_their_neighbours_do_not_make_equal_sides_differ(
    made: Callable[[random.Random, int], list[float]],
) -> None:
    draw = random.Random(8)
    rounds = [(difference(quantile(made(draw, 500), 0.5), quantile(made(draw, 500), 0.5)), 0.0) for _ in range(100)]
    assert covered(rounds) >= 0.9  # taken for independent, queueing's would be 0.5


def test_what_they_are_worth_is_told() -> None:
    got = quantile(queueing(random.Random(9), 500), 0.5)
    assert got.worth is not None
    assert got.worth < 100
    assert quantile(spread(range(500)), 0.5).worth is None
    bursts = [False] * 95 + [True] * 5
    assert proportion(bursts).unknown == "too few samples: 100, worth 18 independent ones, of at least 30"
    assert ratio([(0, 1)] * 50 + [(1, 1)] * 50).unknown == "too few samples: 100, worth 9 independent ones, of at least 30"
    steps = [float(number // 100) for number in range(200)]
    assert quantile(steps, 0.5).unknown is None
    assert quantile(steps, 0.95).unknown is None
