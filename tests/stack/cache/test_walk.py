"""How far each engine holds a prompt, against a plain walk for each engine."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stack.cache.shards import Shards
from stack.cache.walk import depths, farther, proved_depth

CHAIN = [101, 102, 103, 104, 105, 106]
ENGINES = [1, 2, 4, 1 << 70]

masks = st.dictionaries(st.sampled_from(CHAIN), st.lists(st.sampled_from(ENGINES), min_size=1).map(lambda held: sum(set(held))))


def plain_depth(held: dict[int, int], bit: int) -> int:
    return next((depth for depth, block in enumerate(CHAIN) if not held.get(block, 0) & bit), len(CHAIN))


def plain_farther(l1: dict[int, int], l2: dict[int, int], bit: int, start: int) -> tuple[int, int]:
    first = second = 0
    for block in CHAIN[start:]:
        if l1.get(block, 0) & bit:
            first += 1
        elif l2.get(block, 0) & bit:
            second += 1
        else:
            break
    return first, second


@given(own=masks, asked=st.sets(st.sampled_from(ENGINES)))
def test_all_engines_at_once_are_found_as_far_as_each_alone(own: dict[int, int], asked: set[int]) -> None:
    assert depths(CHAIN, Shards.of(own), sum(asked)) == {bit: plain_depth(own, bit) for bit in asked}


@given(own=masks, l1=masks, l2=masks)
def test_farther_tiers_add_what_a_walk_for_each_engine_finds(own: dict[int, int], l1: dict[int, int], l2: dict[int, int]) -> None:
    found = {bit: plain_depth(own, bit) for bit in ENGINES}
    assert farther(CHAIN, Shards.of(l1), Shards.of(l2), found) == {
        bit: plain_farther(l1, l2, bit, depth) for bit, depth in found.items()
    }


def test_nobody_asked_is_nobody_found() -> None:
    assert (depths(CHAIN, Shards(), 0), farther(CHAIN, Shards(), Shards(), {})) == ({}, {})


def test_a_certain_block_proves_those_in_doubt_before_it_and_none_after_a_hole() -> None:
    certain, doubted = 1, 2
    masks = Shards.of({101: doubted, 102: certain, 103: doubted, 104: certain, 105: doubted})
    assert proved_depth(CHAIN, masks, certain, doubted) == 4
    assert proved_depth(CHAIN, Shards.of({101: doubted, 103: certain}), certain, doubted) == 0
