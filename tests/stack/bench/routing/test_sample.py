"""How sure a ratio is."""

import random

import pytest

from stack.bench.routing.sample import Ratio, ratio


def test_the_same_values_have_the_ratio_one_for_sure() -> None:
    groups = {str(number): [float(number + 1)] for number in range(50)}
    assert ratio(groups, groups, 0.5) == Ratio(1.0, 1.0, 1.0)


def test_a_ratio_lies_between_its_bounds_and_more_conversations_narrow_them() -> None:
    rng = random.Random(0)

    def width(count: int) -> float:
        ours = {str(number): [rng.lognormvariate(0.0, 1.0) for _ in range(3)] for number in range(count)}
        theirs = {name: [2 * value * rng.uniform(0.9, 1.1) for value in values] for name, values in ours.items()}
        found = ratio(ours, theirs, 0.5)
        assert found.low <= found.value <= found.high
        assert found.value == pytest.approx(0.5, rel=0.25)
        return found.high - found.low

    assert width(400) < width(20)
