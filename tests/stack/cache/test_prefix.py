"""Hashes of a prompt's leading pieces."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from stack.cache.prefix import PIECE_BYTES, PIECES_MAX, PREFIX_BYTES, prefix_hashes, whole_pieces


@settings(max_examples=50, deadline=None)
@given(head=st.integers(0, 40_000), one=st.binary(max_size=1200), other=st.binary(max_size=1200))
def test_prompts_share_exactly_the_hashes_of_their_common_whole_pieces(head: int, one: bytes, other: bytes) -> None:
    left, right = b"h" * head + one, b"h" * head + other
    first, second = prefix_hashes(left), prefix_hashes(right)
    common = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    end, beyond = PREFIX_BYTES[common], PREFIX_BYTES[common + 1]
    assert left[:end] == right[:end]
    assert left[:beyond] != right[:beyond] or min(len(left), len(right)) < beyond


def test_a_piece_that_is_not_full_is_left_out() -> None:
    assert prefix_hashes(b"x" * 511) == []
    assert len(prefix_hashes(b"x" * 1025)) == 2


def test_equal_pieces_at_different_places_hash_differently() -> None:
    first, second = prefix_hashes(b"x" * 1024)
    assert first != second


def test_prompts_of_different_seeds_share_nothing() -> None:
    assert set(prefix_hashes(b"x" * 8000, 1)).isdisjoint(prefix_hashes(b"x" * 8000, 2))


def test_pieces_grow_with_what_is_before_them_and_are_a_sixteenth_of_it_at_most() -> None:
    sizes = [end - start for start, end in pairwise(PREFIX_BYTES[:-1])]
    assert sizes[:33] == [PIECE_BYTES] * 32 + [2 * PIECE_BYTES]
    assert all(size <= max(PIECE_BYTES, start / 16) for size, start in zip(sizes, PREFIX_BYTES, strict=False))
    assert [whole_pieces(length) for length in (0, 511, 512, 16_384, 17_407, 17_408, 131_072)] == [0, 0, 1, 32, 32, 33, 80]


def test_a_long_prompt_is_hashed_up_to_the_limit() -> None:
    assert len(prefix_hashes(b"x" * (2 << 20))) == PIECES_MAX == whole_pieces(3 << 20)
