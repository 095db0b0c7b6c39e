"""What is known about where a prompt's KV cache lies."""

import pytest

from stack.model.placement import UNKNOWN, EnginePlacement, UnknownReason


def test_cached_tokens_count_every_tier_once() -> None:
    assert EnginePlacement(engine_tokens=128, l1_tokens=64, l2_tokens=256).cached_tokens == 448


@pytest.mark.parametrize(
    "held",
    [
        EnginePlacement(l1_tokens=None),
        EnginePlacement(l2_tokens=None),
        EnginePlacement(partial_seconds=1.0),
        EnginePlacement(ranks=2),
    ],
)
def test_what_is_not_known_entirely_is_no_prediction(held: EnginePlacement) -> None:
    assert (held.certain, EnginePlacement().certain) == (False, True)


def test_a_placement_nobody_looked_up_says_so() -> None:
    assert UNKNOWN.unknown_reason is UnknownReason.NOT_LOOKED_UP
