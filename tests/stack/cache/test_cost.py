"""What cached tokens still cost."""

import pytest

from stack.cache.cost import TierCost
from stack.model.placement import EnginePlacement


def test_work_is_what_is_left_to_compute_and_what_has_to_be_brought_in() -> None:
    held = EnginePlacement(engine_tokens=1000, l1_tokens=200, l2_tokens=100)
    cost = TierCost(l1=0.1, l2=0.5)
    assert (cost.computing(held, 2000), cost.loading(held)) == (700.0, 70.0)
    assert cost.computing(held, 1200) == 0.0


@pytest.mark.parametrize("costs", [{"l1": 0.4, "l2": 0.3}, {"engine": 0.2, "l1": 0.1}, {"l2": 1.01}, {"engine": -0.1}])
def test_a_farther_tier_cannot_be_cheaper_nor_dearer_than_computing(costs: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="rise"):
        TierCost(**costs)
