"""Load: who is idlest, and when an affinity gives way."""

import pytest

from stack.strategies.load import ImbalanceGuard, least_loaded
from tests.stack.strategies.fleets import engine


def test_equally_idle_engines_take_turns() -> None:
    candidates = [engine("c", 5), engine("b", 1), engine("a", 1)]
    assert [least_loaded(candidates, turn).name for turn in range(3)] == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("chosen", "idlest", "trips"),
    [(8, 0, False), (9, 0, True), (20, 10, True), (108, 100, False), (109, 100, False), (151, 100, True)],
)
def test_the_guard_wants_both_the_limit_and_the_ratio_exceeded(chosen: int, idlest: int, trips: bool) -> None:
    busy = engine("a", chosen)
    assert ImbalanceGuard(limit=8, ratio=1.5).trips(busy, [busy, engine("b", idlest)]) is trips


def test_a_guard_that_could_never_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="imbalance guard"):
        ImbalanceGuard(limit=-1)
