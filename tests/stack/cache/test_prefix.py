"""Hashes of a prompt's leading pieces."""

from hypothesis import given, settings
from hypothesis import strategies as st

from stack.cache.prefix import prefix_hashes


@settings(max_examples=50, deadline=None)
@given(head=st.binary(min_size=1, max_size=64), one=st.binary(max_size=64), other=st.binary(max_size=64))
def test_prompts_share_exactly_the_hashes_of_their_common_whole_pieces(head: bytes, one: bytes, other: bytes) -> None:
    left, right = head + one, head + other
    first, second = prefix_hashes(left, 8), prefix_hashes(right, 8)
    common = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    assert left[: common * 8] == right[: common * 8]
    assert left[: (common + 1) * 8] != right[: (common + 1) * 8] or common == min(len(left), len(right)) // 8


def test_a_piece_that_is_not_full_is_left_out() -> None:
    assert prefix_hashes(b"x" * 511) == ()
    assert len(prefix_hashes(b"x" * 1025)) == 2


def test_equal_pieces_at_different_places_hash_differently() -> None:
    first, second = prefix_hashes(b"x" * 1024)
    assert first != second


def test_a_long_prompt_is_hashed_up_to_the_limit() -> None:
    assert prefix_hashes(b"x" * 8000, 8, limit=3) == prefix_hashes(b"x" * 24, 8)
