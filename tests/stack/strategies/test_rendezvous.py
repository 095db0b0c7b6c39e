"""Consistent hashing: who joins or leaves moves only its own share."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from stack.strategies import rendezvous
from tests.stack.strategies.fleets import fleet

KEYS = [rendezvous.key_of(f"session {i}") for i in range(2000)]


@settings(max_examples=20, deadline=None)
@given(size=st.integers(2, 16), gone=st.integers(0, 15))
def test_only_the_leaver_s_keys_move(size: int, gone: int) -> None:
    before = fleet(size)
    leaver = before[gone % size]
    after = [engine for engine in before if engine is not leaver]
    moved = 0
    for key in KEYS:
        home = rendezvous.home(key, before)
        if home is leaver:
            moved += 1
        else:
            assert rendezvous.home(key, after) is home
    share = len(KEYS) / size
    assert 0.6 * share < moved < 1.4 * share


@settings(max_examples=10, deadline=None)
@given(size=st.integers(1, 16))
def test_a_joiner_takes_about_its_share_and_nothing_else_moves(size: int) -> None:
    grown = fleet(size + 1)
    joiner = grown[-1]
    moved = sum(rendezvous.home(key, grown) is joiner for key in KEYS)
    assert all(rendezvous.home(key, grown) in (rendezvous.home(key, grown[:-1]), joiner) for key in KEYS)
    share = len(KEYS) / (size + 1)
    assert 0.6 * share < moved < 1.4 * share


def test_keys_spread_evenly() -> None:
    homes = Counter(rendezvous.home(key, fleet(4)).name for key in KEYS)
    assert all(400 < count < 600 for count in homes.values())


def test_the_home_is_the_first_of_the_ranking() -> None:
    assert all(rendezvous.ranked(key, fleet(5))[0] == rendezvous.home(key, fleet(5)) for key in KEYS[:100])
