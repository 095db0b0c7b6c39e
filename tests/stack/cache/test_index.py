"""The fleet's block index."""

from __future__ import annotations

import pytest

from stack.cache.engine_blocks import Unplaced
from stack.cache.followed import Knowledge
from stack.cache.index import UNLIMITED, BlockIndex, IndexLimits
from stack.model.kv_event import Cleared, KvBatch, KvEvent, Removed, Source, Stored
from stack.model.placement import EnginePlacement, UnknownReason
from stack.model.tier import Tier

PROMPT = list(range(100, 124))  # six blocks of four tokens


A = Source("a")


def stored(*names: int, parent: int | None = None, start: int = 0, tier: Tier = Tier.ENGINE) -> Stored:
    return Stored(names, parent, PROMPT[start * 4 : (start + len(names)) * 4], 4, tier)


def tell(made: BlockIndex, source: Source, *events: KvEvent, at: float = 10.0) -> None:
    made.apply(source, KvBatch(at, events), at)


def index(limits: IndexLimits = UNLIMITED, **blocks: int) -> BlockIndex:
    """Followed engines, each holding so many leading blocks of PROMPT, heard of at 10 s."""
    made = BlockIndex(limits)
    for engine, count in blocks.items():
        made.follow(Source(engine))
        tell(made, Source(engine), *([stored(*range(count))] if count else []))
    return made


def cached(made: BlockIndex, engine: str = "a") -> int | None:
    held = made.lookup([*PROMPT, 1], [engine], 10.0).engines.get(engine)
    return None if held is None else held.engine_tokens


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
    made.follow(Source("b"))
    tell(made, Source("b"), Stored([1], None, PROMPT[:8], 8, Tier.ENGINE))
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
    tell(made, A, stored(1))
    assert (made.blocks("a", Tier.ENGINE), made.knowledge("a")) == (None, Knowledge.UNKNOWN)


def test_a_forgotten_engine_s_blocks_go_in_slices_and_leave_the_others_alone() -> None:
    made = index(a=6, b=3)
    made.forget("a")
    assert [made.sweep(4), made.sweep(4), made.sweep(4)] == [True, False, False]
    made.follow(Source("c"))  # gets the bit that was a's
    tell(made, Source("c"))
    assert {name: cached(made, name) for name in "abc"} == {"a": None, "b": 12, "c": 0}


def test_a_source_that_was_never_heard_is_unknown() -> None:
    made = index()
    made.follow(A)
    assert (cached(made), made.knowledge("a")) == (None, Knowledge.UNKNOWN)
    made.seen(A, 10.0)
    assert (cached(made), made.knowledge("a")) == (0, Knowledge.WHOLE)


def test_lost_events_make_a_placement_partial_and_a_block_stored_since_proves_those_before_it() -> None:
    made = index(a=3)
    made.lost(A, 12.0)
    assert made.lookup(PROMPT, ["a"], 20.0).engines["a"] == EnginePlacement(0, age_seconds=10.0, partial_seconds=8.0)
    tell(made, A, stored(3, parent=2, start=3))
    assert cached(made) == 16
    assert (made.knowledge("a"), made.account("a", 20.0)) == (Knowledge.PARTIAL, "KV placement partial for 8 s (events_lost)")


def test_a_partial_placement_is_never_held_against_the_engine_s_answer() -> None:
    made = index(a=3)
    made.lost(A, 12.0)
    assert not made.lookup(PROMPT, ["a"], 20.0).engines["a"].certain


def test_an_evicted_block_that_was_stored_since_the_loss_shows_that_what_was_in_doubt_is_gone() -> None:
    made = index(a=3)
    made.lost(A, 12.0)
    tell(made, A, stored(3, parent=2, start=3), Removed([2], Tier.ENGINE))  # an old one: tells nothing of the others
    assert made.knowledge("a") is Knowledge.PARTIAL
    tell(made, A, stored(50), Removed([3], Tier.ENGINE))
    assert (made.knowledge("a"), made.account("a", 20.0), cached(made)) == (Knowledge.WHOLE, "", 4)


def test_a_late_begin_is_partial_until_a_block_stored_since_is_evicted() -> None:
    made = BlockIndex()
    made.follow(A, late_at=4.0)
    tell(made, A, stored(0, 1), Removed([77], Tier.ENGINE))
    assert (cached(made), made.account("a", 10.0)) == (8, "KV placement partial for 6 s (begun_late)")
    tell(made, A, Removed([1], Tier.ENGINE))
    assert made.knowledge("a") is Knowledge.WHOLE


def test_an_engine_that_says_it_cleared_its_cache_is_known_again() -> None:
    made = index(a=3)
    made.lost(A, 12.0)
    tell(made, A, Cleared(), stored(0))
    assert (made.blocks("a", Tier.ENGINE), cached(made), made.knowledge("a")) == (1, 4, Knowledge.WHOLE)


def test_a_silent_publisher_is_not_trusted_until_it_is_heard_of_again() -> None:
    made = index(a=3)
    made.silent(A)
    assert (made.blocks("a", Tier.ENGINE), made.knowledge("a")) == (None, Knowledge.UNKNOWN)
    made.seen(A, 20.0)
    assert made.lookup(PROMPT, ["a"], 21.0).engines["a"] == EnginePlacement(12, age_seconds=1.0)


def test_a_tier_that_an_engine_never_spoke_of_is_unknown_and_not_empty() -> None:
    made = index(a=2)
    assert [made.blocks("a", tier) for tier in Tier] == [2, None, None]
    tell(made, A, stored(0, 1, tier=Tier.L1), Removed([0, 1], Tier.L1))
    assert [made.blocks("a", tier) for tier in Tier] == [2, 0, None]


def test_blocks_that_could_not_be_placed_are_counted_across_restarts_and_while_the_engine_is_followed() -> None:
    made = index(a=1)
    tell(made, A, Stored([9], 8, PROMPT[:4], 4, Tier.ENGINE))
    made.follow(A)
    assert (made.unplaced("a"), made.unplaced("b")) == ({Unplaced.PARENT_UNKNOWN: 1}, {})
    made.forget("a")
    assert made.unplaced("a") == {}


def test_an_engine_reaches_what_the_best_of_its_ranks_does() -> None:
    made = index(a=2)
    made.follow(Source("a", 1))
    held = EnginePlacement(8, age_seconds=0.0, partial_seconds=0.0, ranks=2, rank=0)
    assert made.lookup(PROMPT, ["a"], 10.0).engines["a"] == held
    tell(made, Source("a", 1), stored(*range(5)))
    assert made.lookup(PROMPT, ["a"], 12.0).engines["a"] == EnginePlacement(20, age_seconds=2.0, ranks=2, rank=1)
    assert (made.blocks("a", Tier.ENGINE), made.knowledge("a")) == (7, Knowledge.WHOLE)
    made.follow(A)  # rank 0 starts anew; its number stays
    tell(made, A, stored(0))
    made.lost(Source("a", 1), 11.0)
    held = EnginePlacement(4, age_seconds=2.0, partial_seconds=1.0, ranks=2, rank=0)
    assert made.lookup(PROMPT, ["a"], 12.0).engines["a"] == held
    assert made.knowledge("a") is Knowledge.PARTIAL


@pytest.mark.parametrize("limits", [IndexLimits(per_source=4, total=9), IndexLimits(per_source=9, total=4)])
def test_a_full_index_refuses_blocks_and_says_so_until_as_many_were_taken_again(limits: IndexLimits) -> None:
    made = index(limits, a=6)
    assert (cached(made), made.unplaced("a")) == (16, {Unplaced.INDEX_FULL: 2})
    assert made.account("a", 13.0) == "KV placement partial for 3 s (index_full)"
    tell(made, A, Removed([0, 1, 2, 3], Tier.ENGINE), stored(10, 11, 12))
    assert made.knowledge("a") is Knowledge.PARTIAL
    tell(made, A, stored(13, parent=12, start=3))
    assert (made.knowledge("a"), cached(made)) == (Knowledge.WHOLE, 16)


def test_what_an_engine_gave_up_makes_room_for_others() -> None:
    made = index(IndexLimits(per_source=9, total=4), a=4, b=2)
    assert (cached(made, "b"), made.unplaced("b")) == (0, {Unplaced.INDEX_FULL: 2})
    made.forget("a")
    tell(made, Source("b"), stored(*range(2)))
    assert cached(made, "b") == 8


def test_prompts_of_an_adapter_and_of_the_plain_model_do_not_share_blocks() -> None:
    made = index(a=0)
    tell(made, A, Stored([1, 2], None, PROMPT[:8], 4, Tier.ENGINE, [b"sql", b"sql"]), stored(3))
    assert cached(made) == 4
    assert made.lookup(PROMPT, ["a"], 10.0, extras=[b"sql"] * 6).engines["a"].engine_tokens == 8
