"""Who holds what, and the bits they go by."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stack.cache.holders import Holders, Slots, bits


@given(moves=st.lists(st.tuples(st.booleans(), st.integers(0, 3), st.sampled_from([1, 2, 1 << 65]))))
def test_holders_are_a_set_of_pairs(moves: list[tuple[bool, int, int]]) -> None:
    holders, pairs = Holders(), set[tuple[int, int]]()
    for add, block, bit in moves:
        if add:
            assert holders.add(block, bit) is ((block, bit) not in pairs)
            pairs.add((block, bit))
        else:
            assert holders.drop(block, bit) is ((block, bit) in pairs)
            pairs.discard((block, bit))
    assert {(block, bit) for block, mask in holders.masks.items() for bit in bits(mask)} == pairs
    assert all(holders.holds(block, bit) for block, bit in pairs)


def test_the_lowest_bit_that_is_free_is_taken() -> None:
    slots = Slots()
    assert [slots.take() for _ in range(3)] == [1, 2, 4]
    slots.give_back(2)
    assert [slots.take(), slots.take()] == [2, 8]
