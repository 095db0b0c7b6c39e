"""A dictionary in parts is a dictionary."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stack.cache.shards import Shards

keys = st.sampled_from([1, 2, 257, 1 << 59, (1 << 59) + 256])


@given(moves=st.lists(st.tuples(st.booleans(), keys, st.integers(1, 9))))
def test_it_holds_what_was_put_in_and_not_taken_out(moves: list[tuple[bool, int, int]]) -> None:
    shards, plain = Shards(), dict[int, int]()
    for put, key, value in moves:
        if put:
            shards.put(key, value)
            plain[key] = value
        else:
            assert shards.pop(key) == plain.pop(key, None)
    assert (dict(shards.items()), sorted(shards.values()), shards.size) == (plain, sorted(plain.values()), len(plain))
    assert all(shards.get(key) == plain.get(key) for key in (1, 257, 1 << 59))
