"""The strategies in the operator's words."""

import stack.strategies  # noqa: F401  # importing it registers every strategy
from dashboard.strategy_names import STRATEGIES, choices, explained
from stack.strategies import base


def test_every_strategy_there_is_is_explained() -> None:
    assert sorted(STRATEGIES) == sorted(base.names())


def test_a_strategy_in_force_that_nobody_explained_can_still_be_chosen() -> None:
    assert choices("least_loaded") == [*STRATEGIES, "least_loaded"]
    assert choices(None) == list(STRATEGIES)
    assert explained("least_loaded") == "A strategy this dashboard has no words for."
