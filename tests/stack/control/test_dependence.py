"""Values that go with their neighbours are worth fewer independent ones."""

from __future__ import annotations

import random

import pytest

from stack.control.dependence import dependence


def test_independent_values_are_worth_themselves() -> None:
    draw = random.Random(1)
    found = [dependence([draw.random() for _ in range(400)]) for _ in range(50)]
    assert sum(found) / len(found) == pytest.approx(1.15, abs=0.1)


def test_of_a_process_with_memory_it_is_what_theory_says() -> None:
    draw, level, series = random.Random(2), 0.0, []
    for _ in range(20_000):
        level = 0.6 * level + draw.gauss(0, 1)
        series.append(level)
    found = [dependence(series[begin : begin + 2_000]) for begin in range(0, 20_000, 2_000)]
    assert sum(found) / len(found) == pytest.approx((1 + 0.6) / (1 - 0.6), rel=0.15)  # of an AR(1)


def test_what_never_changes_and_what_is_too_short_is_taken_as_independent() -> None:
    assert dependence([1.0] * 100) == dependence([]) == dependence([0.0] * 19 + [1.0] * 20) == 1.0
