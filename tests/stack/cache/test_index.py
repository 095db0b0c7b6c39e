"""The fleet's block index."""

from __future__ import annotations

import pytest

from stack.cache.index import BlockIndex
from stack.model.kv_event import Cleared, Removed, Stored
from stack.model.placement import EnginePlacement, UnknownReason
from stack.model.tier import Tier

PROMPT = list(range(100, 124))  # six blocks of four tokens


def index(**blocks: int) -> BlockIndex:
    """Followed engines, each holding so many leading blocks of PROMPT, heard of at 10 s."""
    made = BlockIndex()
    for engine, count in blocks.items():
        made.follow(engine)
        made.seen(engine, 10.0)
        if count:
            made.apply(engine, Stored(range(count), None, PROMPT[: count * 4], 4, Tier.ENGINE))
    return made


def test_a_lookup_gives_each_trusted_engine_s_share_with_its_age() -> None:
    placement = index(a=2, b=5, c=0).lookup([*PROMPT, 1], ["a", "b", "c", "unheard"], now=12.5)
    assert dict(placement.engines) == {
        "a": EnginePlacement(engine_tokens=8, age_seconds=2.5),
        "b": EnginePlacement(engine_tokens=20, age_seconds=2.5),
        "c": EnginePlacement(age_seconds=2.5),
    }
    assert (placement.prompt_tokens, placement.unknown_reason) == (25, None)


@pytest.mark.parametrize(("tokens", "cached"), [(24, 20), (25, 24), (4, 0), (5, 4), (1, 0), (0, 0)])
def test_the_block_with_the_last_token_never_counts(tokens: int, cached: int) -> None:
    prompt = [*PROMPT, 7][:tokens]
    assert index(a=6).lookup(prompt, ["a"], 10.0).engines["a"].cached_tokens == cached


def test_engines_with_other_block_sizes_are_looked_up_by_their_own() -> None:
    made = index(a=4)
    made.follow("b")
    made.apply("b", Stored([1], None, PROMPT[:8], 8, Tier.ENGINE))
    placement = made.lookup(PROMPT, ["a", "b"], 10.0)
    assert {name: held.engine_tokens for name, held in placement.engines.items()} == {"a": 16, "b": 8}


def test_without_any_trusted_engine_the_placement_is_unknown() -> None:
    placement = index(a=2).lookup(PROMPT, ["b"], 10.0)
    assert (dict(placement.engines), placement.unknown_reason) == ({}, UnknownReason.NO_TRUSTED_ENGINE)


def test_a_salt_tells_prompts_apart() -> None:
    made = index(a=3)
    assert made.lookup(PROMPT, ["a"], 10.0, extras=[b"salt"]).engines["a"].cached_tokens == 0


def test_a_forgotten_engine_is_unknown_and_its_events_are_dropped() -> None:
    made = index(a=2)
    made.forget("a")
    made.apply("a", Stored([1], None, PROMPT[:4], 4, Tier.ENGINE))
    assert made.blocks("a", Tier.ENGINE) is None


def test_after_a_loss_an_engine_is_unknown_until_its_cache_has_turned_over() -> None:
    made = index(a=3)
    made.lost("a")
    made.apply("a", Stored([10, 11], None, PROMPT[:8], 4, Tier.ENGINE))
    assert made.blocks("a", Tier.ENGINE) is None
    made.apply("a", Stored([12], 11, PROMPT[8:12], 4, Tier.ENGINE))
    assert made.blocks("a", Tier.ENGINE) == 3
    made.apply("a", Removed([12], Tier.ENGINE))
    assert made.lookup(PROMPT, ["a"], 10.0).engines["a"].engine_tokens == 8


def test_an_engine_that_says_it_cleared_its_cache_is_known_again() -> None:
    made = index(a=3)
    made.lost("a")
    made.apply("a", Cleared())
    assert made.blocks("a", Tier.ENGINE) == 0


def test_a_silent_publisher_is_not_trusted_until_it_is_heard_of_again() -> None:
    made = index(a=3)
    made.silent("a")
    assert made.blocks("a", Tier.ENGINE) is None
    made.seen("a", 20.0)
    assert made.lookup(PROMPT, ["a"], 21.0).engines["a"] == EnginePlacement(12, age_seconds=1.0)


def test_a_tier_that_an_engine_never_spoke_of_is_unknown_and_not_empty() -> None:
    made = index(a=2)
    assert [made.blocks("a", tier) for tier in Tier] == [2, None, None]
    made.apply("a", Stored([0, 1], None, PROMPT[:8], 4, Tier.L1))
    made.apply("a", Removed([0, 1], Tier.L1))
    assert [made.blocks("a", tier) for tier in Tier] == [2, 0, None]


def test_blocks_that_could_not_be_placed_are_counted() -> None:
    made = index(a=1)
    made.apply("a", Stored([9], 8, PROMPT[:4], 4, Tier.ENGINE))
    assert (made.unresolved("a"), made.unresolved("b")) == (1, 0)
