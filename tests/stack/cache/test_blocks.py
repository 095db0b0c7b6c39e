"""Our own names for blocks of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stack.cache.blocks import ROOT, block_hashes

tokens = st.lists(st.integers(0, 2**32 - 1), max_size=40)


@settings(max_examples=50, deadline=None)
@given(tokens=tokens, cut=st.integers(0, 10))
def test_a_chain_can_be_continued_from_any_of_its_blocks(tokens: list[int], cut: int) -> None:
    whole = block_hashes(ROOT, tokens, 4)
    blocks = min(cut, len(whole))
    head = block_hashes(ROOT, tokens[: blocks * 4], 4)
    assert head == whole[:blocks]
    assert block_hashes(head[-1] if head else ROOT, tokens[blocks * 4 :], 4) == whole[blocks:]


@settings(max_examples=50, deadline=None)
@given(tokens=st.lists(st.integers(0, 9), min_size=8, max_size=8), at=st.integers(0, 7))
def test_another_token_changes_its_block_and_all_after_it(tokens: list[int], at: int) -> None:
    changed = [*tokens[:at], tokens[at] + 1, *tokens[at + 1 :]]
    same = [a == b for a, b in zip(block_hashes(ROOT, tokens, 2), block_hashes(ROOT, changed, 2), strict=True)]
    assert same == [block < at // 2 for block in range(4)]


def test_a_salt_in_the_first_block_sets_the_whole_chain_apart() -> None:
    plain, salted = block_hashes(ROOT, range(8), 2), block_hashes(ROOT, range(8), 2, (b"salt", None))
    assert set(plain).isdisjoint(salted)
    assert salted == block_hashes(ROOT, range(8), 2, (b"salt",))


def test_a_token_is_a_32_bit_number() -> None:
    with pytest.raises(OverflowError):
        block_hashes(ROOT, [2**32], 1)
