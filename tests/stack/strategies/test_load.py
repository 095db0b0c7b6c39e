"""Load: who is idlest."""

from stack.strategies.load import least_loaded
from tests.stack.strategies.fleets import engine


def test_equally_idle_engines_take_turns() -> None:
    candidates = [engine("c", 5), engine("b", 1), engine("a", 1)]
    assert [least_loaded(candidates, turn).name for turn in range(3)] == ["a", "b", "a"]
