"""Synthetic experiments with fixed seeds: looked at after every session, they are wrong no more often than they may be."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from random import Random
from statistics import median

import pytest

from stack.control.evidence import Difference, Ratio, proven
from stack.control.wager import CAPITAL_MAX, Interval, Wager

ERROR = 0.05
SKEWED = 0.6  # of the logarithm: the 95th percentile of such durations is 2.7 times their median

Draw = Callable[[Random, int], float]


def skewed(random: Random, number: int) -> float:
    return random.lognormvariate(-1.0, SKEWED)


def drifting(random: Random, number: int) -> float:
    """A day's load, in bursts of five sessions that fare alike."""
    burst = Random(number // 5).gauss(0.0, 1.0)
    return skewed(random, number) * (1.0 + number / 50) * exp(burst)


def stopped_at(seed: int, ratio: float, null: float, sessions: int, *, above: bool, draw: Draw = skewed) -> int | None:
    """After how many sessions the null is disproved, looked at after each; None when it never is."""
    random, evidence = Random(seed), Ratio(share=0.5, wagers=[Wager(null=null)])
    for number in range(1, sessions + 1):
        candidate = random.random() < evidence.share
        evidence.add(candidate, draw(random, number) * (ratio if candidate else 1.0))
        if proven(evidence.wagers, null, ERROR, above=above):
            return number
    return None


def test_equal_arms_are_called_better_no_more_often_than_stated_however_often_one_looks() -> None:
    wrong = sum(stopped_at(seed, 1.0, 1.0, 120, above=False) is not None for seed in range(1000))
    assert wrong <= 1000 * ERROR


def test_nor_where_load_drifts_and_neighbours_fare_alike() -> None:
    wrong = sum(stopped_at(seed, 1.0, 1.0, 300, above=False, draw=drifting) is not None for seed in range(100))
    assert wrong <= 100 * ERROR


def test_an_arm_that_is_worse_by_just_what_is_tolerated_is_seldom_called_too_bad() -> None:
    wrong = sum(stopped_at(seed, 1.1, 1.1, 300, above=True) is not None for seed in range(100))
    assert wrong <= 100 * ERROR


@pytest.mark.parametrize(
    ("ratio", "null", "above", "typical"), [(1.2, 1.0, True, 400), (0.8, 1.0, False, 300), (1.2, 1.05, True, 900)]
)
def test_a_fifth_is_found_out_early(ratio: float, null: float, above: bool, typical: int) -> None:
    stops = [stopped_at(seed, ratio, null, 2_000, above=above) for seed in range(30)]
    found = [stop for stop in stops if stop is not None]
    assert len(found) >= 0.9 * len(stops)
    assert median(found) < typical


def test_the_interval_holds_the_truth_and_closes_in_on_it() -> None:
    random, evidence = Random(7), Ratio.of(0.3, 1.07)
    assert evidence.interval(ERROR) == Interval()
    for number in range(3_000):
        candidate = random.random() < 0.3
        evidence.add(candidate, skewed(random, number) * (0.8 if candidate else 1.0))
    assert evidence.interval(ERROR) == Interval(low=0.75, high=0.9)
    assert evidence.estimate == pytest.approx(0.8, rel=0.05)


def test_what_is_known_of_one_arm_alone_is_no_estimate() -> None:
    ratio, difference = Ratio.of(0.5), Difference.of(0.5)
    ratio.add(False, 1.0)
    difference.add(True, 1.0)
    assert (ratio.estimate, difference.estimate) == (None, None)


def failing(seed: int, control: float, candidate: float, share: float, sessions: int) -> int | None:
    random, evidence = Random(seed), Difference(share=share, wagers=[Wager(null=0.01)])
    for number in range(1, sessions + 1):
        drawn = random.random() < share
        evidence.add(drawn, float(random.random() < (candidate if drawn else control)))
        if proven(evidence.wagers, 0.01, ERROR, above=True):
            return number
    return None


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_errors_that_both_arms_have_are_nobodys(share: float) -> None:
    assert sum(failing(seed, 0.05, 0.05, share, 300) is not None for seed in range(100)) <= 100 * ERROR


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_errors_of_the_candidate_alone_are_found_out_early(share: float) -> None:
    stops = [failing(seed, 0.0, 0.2, share, 2_000) for seed in range(30)]
    assert median(2_000 if stop is None else stop for stop in stops) < 150


def test_evidence_stays_a_number_that_json_can_hold() -> None:
    wager = Wager(null=0.0)
    for _ in range(10_000):
        wager.settle(1.0, -1.0, 1.0)
    assert CAPITAL_MAX <= wager.proof_above < 2 * CAPITAL_MAX
    assert wager.proof_below == 1.0
