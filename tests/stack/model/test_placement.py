"""What is known about where a prompt's KV cache lies."""

from stack.model.placement import UNKNOWN, EnginePlacement, UnknownReason


def test_cached_tokens_count_every_tier_once() -> None:
    assert EnginePlacement(engine_tokens=128, l1_tokens=64, l2_tokens=256).cached_tokens == 448


def test_a_placement_nobody_looked_up_says_so() -> None:
    assert UNKNOWN.unknown_reason is UnknownReason.NOT_LOOKED_UP
