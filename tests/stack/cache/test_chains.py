"""The same hashes as by hashing everything."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from stack.cache.blocks import ROOT, block_hashes
from stack.cache.chains import STRETCH_BLOCKS, Chains
from stack.cache.packed import ENTRY_BYTES

STRETCH = st.lists(st.integers(0, 2), min_size=1, max_size=6)
EXTRAS = st.sampled_from(((), (b"salt",), (b"salt", None), (b"other",)))


def tokens(stretches: list[int], block_tokens: int, more: int) -> array[int]:
    """Some stretches of equal tokens each, and a few tokens more."""
    return array("I", [kind for kind in stretches for _ in range(STRETCH_BLOCKS * block_tokens)] + [7] * more)


@given(prompts=st.lists(st.tuples(STRETCH, st.integers(0, 40), st.sampled_from((1, 3)), EXTRAS), min_size=1, max_size=6))
def test_whatever_was_looked_up_before_the_hashes_are_the_same(
    prompts: list[tuple[list[int], int, int, tuple[bytes | None, ...]]],
) -> None:
    chains = Chains(10_000)
    for stretches, more, size, extras in prompts:
        asked = tokens(stretches, size, more)
        assert chains.hashes(asked, size, extras) == block_hashes(ROOT, asked, size, extras)
        assert chains.hashes(asked.tolist(), size, extras) == block_hashes(ROOT, asked, size, extras)


def test_what_is_kept_is_bounded() -> None:
    chains = Chains(2 * (ENTRY_BYTES + 8 * STRETCH_BLOCKS))
    for first in range(5):
        chains.hashes(array("I", [first] * 3 * STRETCH_BLOCKS), 1)
    assert chains.kept_bytes == 2 * (ENTRY_BYTES + 8 * STRETCH_BLOCKS)
