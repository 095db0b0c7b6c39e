"""Taking turns."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from stack.strategies.round_robin import RoundRobin
from tests.stack.strategies.fleets import engine, fleet, request


def test_requests_take_turns_by_name() -> None:
    chosen = [RoundRobin().choose(request(i), [engine("b"), engine("c"), engine("a")]).engine for i in range(4)]
    assert chosen == ["a", "b", "c", "a"]


def test_an_engine_that_joins_gets_its_share_at_once() -> None:
    chosen = Counter(RoundRobin().choose(request(i), fleet(3)).engine for i in range(100, 130))
    assert chosen == {"decode-0": 10, "decode-1": 10, "decode-2": 10}


def test_load_and_cache_are_none_of_its_business() -> None:
    assert RoundRobin().choose(request(0), [engine("a", 99), engine("b")]).engine == "a"


@given(
    changes=st.lists(st.tuples(st.integers(1, 12), st.integers(1, 40)), min_size=1, max_size=8),
    start=st.integers(0, 10_000),
)
def test_whoever_joins_or_leaves_turns_stay_even(changes: list[tuple[int, int]], start: int) -> None:
    """Between two changes no engine is more than one request ahead of another."""
    sequence = start
    for size, requests in changes:
        chosen = Counter({candidate.name: 0 for candidate in fleet(size)})
        for _ in range(requests):
            chosen[RoundRobin().choose(request(sequence), fleet(size)).engine] += 1
            sequence += 1
        assert max(chosen.values()) - min(chosen.values()) <= 1
