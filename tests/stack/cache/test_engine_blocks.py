"""One engine's blocks, as its events tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from stack.cache.blocks import ROOT, block_hashes
from stack.cache.engine_blocks import EngineBlocks, Unplaced
from stack.cache.holders import Holders
from stack.cache.lineage import REMEMBERED_BLOCKS
from stack.cache.walk import depths, farther, proved_depth
from stack.model.kv_event import BlockName, Removed, Stored
from stack.model.tier import Tier

PROMPT = list(range(100, 124))  # six blocks of four tokens
CHAIN = block_hashes(ROOT, PROMPT, 4)


def stored(*names: BlockName, parent: BlockName | None = None, start: int = 0, tier: Tier = Tier.ENGINE) -> Stored:
    """Blocks of PROMPT, the first at block `start`."""
    return Stored(names, parent, PROMPT[start * 4 : (start + len(names)) * 4], 4, tier)


def offloaded(*names: BlockName, tier: Tier = Tier.L1) -> Stored:
    return Stored(names, None, (), 0, tier)


class Engine(EngineBlocks):
    """One engine with holders of its own, asked as the index asks for one of many."""

    def __init__(self) -> None:
        self.counted: Counter[Unplaced] = Counter()
        self.tiers = {tier: Holders() for tier in Tier}
        super().__init__(self.tiers, 1, self.counted)

    def take(self, *events: Stored | Removed, room: int = 1000) -> Engine:
        for event in events:
            if isinstance(event, Stored):
                self.stored(event, room)
            else:
                self.removed(event)
        return self

    def reachable(self, chain: Sequence[int]) -> tuple[int, int, int]:
        own, l1, l2 = (self.tiers[tier].masks for tier in (Tier.ENGINE, Tier.L1, Tier.L2))
        bit = self.certain.bit
        first = depths(chain, own, bit)[bit] if self.doubted is None else proved_depth(chain, own, bit, self.doubted.bit)
        return (first, *farther(chain, l1, l2, {bit: first})[bit])


def holding(*events: Stored | Removed) -> Engine:
    return Engine().take(*events)


def test_stored_blocks_are_reachable_as_a_prefix() -> None:
    blocks = holding(stored(1, 2), stored(3, parent=2, start=2))
    assert blocks.reachable(CHAIN) == (3, 0, 0)
    assert blocks.reachable(CHAIN[1:]) == (2, 0, 0)
    assert blocks.block_tokens == 4


def test_a_hole_ends_the_prefix() -> None:
    assert holding(stored(1, 2, 3), Removed([2], Tier.ENGINE)).reachable(CHAIN) == (1, 0, 0)


def test_a_duplicate_survives_the_removal_of_one_copy() -> None:
    blocks = holding(stored(1), stored(1), Removed([1], Tier.ENGINE))
    assert blocks.reachable(CHAIN) == (1, 0, 0)
    blocks.removed(Removed([1], Tier.ENGINE))
    assert blocks.reachable(CHAIN) == (0, 0, 0)
    blocks.removed(Removed([1], Tier.ENGINE))
    assert blocks.count(Tier.ENGINE) == 0


def test_farther_tiers_continue_where_the_nearer_end() -> None:
    blocks = holding(
        stored(1, 2, 3, 4, 5, 6),
        *(offloaded(name) for name in (1, 2, 3, 4)),
        *(offloaded(name, tier=Tier.L2) for name in (1, 2, 3, 4, 5, 6)),
        Removed([3, 4, 5, 6], Tier.ENGINE),
    )
    assert blocks.reachable(CHAIN) == (2, 2, 2)


def test_a_block_the_engine_dropped_is_still_known_by_name_when_its_offload_is_reported() -> None:
    blocks = holding(stored(1, 2), Removed([1, 2], Tier.ENGINE), offloaded(1), offloaded(2))
    assert blocks.reachable(CHAIN) == (0, 2, 0)
    assert not blocks.counted


def test_an_offloaded_chunk_bears_its_last_block_s_name_and_covers_those_before() -> None:
    """Recorded from vLLM: 31 blocks on the device, a chunk of four offloaded under the name of every fourth."""
    blocks = holding(stored(1, 2, 3, 4, 5, 6), offloaded(2), offloaded(4), Removed([1, 2, 3, 4, 5, 6], Tier.ENGINE))
    assert blocks.reachable(CHAIN) == (0, 4, 0)
    blocks.removed(Removed([4], Tier.L1))
    assert blocks.reachable(CHAIN) == (0, 2, 0)
    blocks.removed(Removed([2], Tier.L1))
    assert [blocks.count(tier) for tier in Tier] == [0, 0, 0]


def test_a_block_whose_parent_nobody_saw_is_left_out_and_counted() -> None:
    blocks = holding(stored(5, 6, parent=4, start=4), offloaded(99))
    assert blocks.reachable(CHAIN) == (0, 0, 0)
    assert blocks.counted == {Unplaced.PARENT_UNKNOWN: 2, Unplaced.NAME_UNKNOWN: 1}


def test_blocks_that_do_not_fit_their_tokens_are_left_out_and_counted() -> None:
    blocks = holding(Stored([1, 2], None, PROMPT[:4], 4, Tier.ENGINE), stored(3), Stored([4], None, PROMPT[:2], 2, Tier.ENGINE))
    assert (blocks.count(Tier.ENGINE), blocks.counted) == (1, {Unplaced.MISFIT: 3})


def test_a_salted_block_does_not_serve_a_plain_prompt() -> None:
    blocks = holding(Stored([1, 2], None, PROMPT[:8], 4, Tier.ENGINE, [b"salt", None]))
    assert blocks.reachable(CHAIN) == (0, 0, 0)
    assert blocks.reachable(block_hashes(ROOT, PROMPT, 4, [b"salt"])) == (2, 0, 0)


def test_a_salted_block_keeps_its_name_when_its_offload_is_described_without_the_salt() -> None:
    salted = Stored([1], None, PROMPT[:4], 4, Tier.ENGINE, [b"salt"])
    blocks = holding(salted, stored(1, tier=Tier.L1), Removed([1], Tier.ENGINE))
    assert blocks.reachable(CHAIN) == (0, 0, 0)
    assert blocks.reachable(block_hashes(ROOT, PROMPT, 4, [b"salt"])) == (0, 1, 0)


def test_names_of_gone_blocks_are_remembered_up_to_a_bound() -> None:
    blocks = Engine()
    many = REMEMBERED_BLOCKS + 1
    for name in range(many):
        blocks.take(Stored([name], None, [name], 1, Tier.ENGINE), Removed([name], Tier.ENGINE))
    blocks.take(offloaded(0), offloaded(many - 1))
    assert (blocks.counted, blocks.count(Tier.L1), len(blocks)) == ({Unplaced.NAME_UNKNOWN: 1}, 1, 1)


def test_blocks_beyond_the_room_there_is_are_refused_and_counted() -> None:
    blocks = Engine().take(stored(1, 2, 3, 4), room=3)
    assert (blocks.reachable(CHAIN), blocks.counted) == ((3, 0, 0), {Unplaced.INDEX_FULL: 1})


def test_what_was_held_before_events_were_lost_counts_only_before_a_block_stored_since() -> None:
    blocks = holding(stored(1, 2, 3, 4))
    assert blocks.doubt(2) is None
    assert (blocks.reachable(CHAIN), blocks.count(Tier.ENGINE)) == ((0, 0, 0), 0)
    blocks.take(stored(5, parent=4, start=4))
    assert (blocks.reachable(CHAIN), blocks.count(Tier.ENGINE)) == ((5, 0, 0), 1)
    blocks.take(Removed([2], Tier.ENGINE))
    assert blocks.reachable(CHAIN) == (0, 0, 0)


def test_a_block_in_doubt_that_is_stored_again_is_certain() -> None:
    blocks = holding(stored(1, 2))
    blocks.doubt(2)
    blocks.take(stored(1))
    assert (blocks.reachable(CHAIN), len(blocks)) == ((1, 0, 0), 2)


def test_a_second_loss_gives_up_what_was_in_doubt_at_the_first() -> None:
    blocks = holding(stored(1, 2))
    blocks.doubt(2)
    blocks.take(stored(3, parent=2, start=2))
    given_up = blocks.doubt(4)
    assert given_up is not None
    assert {name for name, _ in given_up.names.items()} == {1, 2}


def test_of_the_farther_tiers_nothing_is_kept_when_events_are_lost() -> None:
    blocks = holding(stored(1, 2), offloaded(1), offloaded(2))
    blocks.doubt(2)
    assert blocks.take(stored(1, 2), Removed([1, 2], Tier.ENGINE)).reachable(CHAIN) == (0, 0, 0)


moves = st.lists(st.tuples(st.sampled_from(list(Tier)), st.booleans(), st.integers(0, 5)), max_size=60)


@settings(max_examples=50, deadline=None)
@given(moves=moves)
def test_the_index_agrees_with_a_plain_count_of_copies(moves: Sequence[tuple[Tier, bool, int]]) -> None:
    blocks = holding(stored(0, 1, 2, 3, 4, 5))  # block 0 first, so that every parent is known
    copies = {(tier, block): int(tier is Tier.ENGINE) for tier in Tier for block in range(6)}
    for tier, arrives, block in moves:
        if arrives:
            blocks.take(stored(block, parent=block - 1 if block else None, start=block, tier=tier))
            copies[tier, block] += 1
        else:
            blocks.removed(Removed([block], tier))
            copies[tier, block] = max(copies[tier, block] - 1, 0)
    assert {tier: blocks.count(tier) for tier in Tier} == {
        tier: sum(copies[tier, block] > 0 for block in range(6)) for tier in Tier
    }
