"""Bounded in bytes, the least recently used going first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stack.cache.packed import ENTRY_BYTES, PackedCache


def cache(entries: int) -> PackedCache:
    """With room for so many entries of four bytes."""
    return PackedCache(entries * (ENTRY_BYTES + 4))


def test_what_was_put_is_found_until_newer_ones_need_the_room() -> None:
    kept = cache(2)
    kept.put([(b"a", b"1111"), (b"b", b"2222")])
    assert kept.get([b"b", b"a", b"x"]) == [b"2222", b"1111", None]
    kept.put([(b"c", b"3333")])
    assert kept.get([b"a", b"b", b"c"]) == [b"1111", None, b"3333"]
    assert kept.bytes == 2 * (ENTRY_BYTES + 4)


def test_an_entry_larger_than_everything_is_not_kept() -> None:
    kept = cache(1)
    kept.put([(b"a", b"1111"), (b"b", b"22222")])
    assert kept.get([b"a", b"b"]) == [b"1111", None]


def test_putting_again_costs_nothing() -> None:
    kept = cache(2)
    kept.put([(b"a", b"1111")] * 3)
    assert kept.bytes == ENTRY_BYTES + 4


@given(st.lists(st.tuples(st.binary(max_size=1), st.binary(max_size=300)), max_size=30), st.integers(0, 2000))
def test_the_bound_always_holds(puts: list[tuple[bytes, bytes]], bytes_max: int) -> None:
    kept = PackedCache(bytes_max)
    for put in puts:
        kept.put([put])
        assert 0 <= kept.bytes <= bytes_max
