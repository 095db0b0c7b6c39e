"""What engines were sent is remembered, and no longer believed when they must have dropped it."""

from __future__ import annotations

import random
import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stack.cache.believed import Believed
from stack.cache.crowd import Crowd
from stack.cache.prefix import PIECE_BYTES
from stack.cache.sent import ENTRY_BYTES, SentPrefixes

NEVER = 10**6
paths = st.lists(st.integers(0, 2), max_size=6)


def index(pieces: int = 1000, age: float = 3600.0, branches: int = NEVER, bytes_max: int = 1 << 20) -> SentPrefixes:
    """For engines that hold so many pieces."""
    return SentPrefixes(Believed(pieces * PIECE_BYTES, age), Crowd(branches), bytes_max)


def depths(sent: SentPrefixes, pieces: list[int], now: float = 0.0) -> dict[str, int]:
    return {engine: depth for depth, engines in sent.recall(pieces, now).runs for engine in engines}


def test_only_a_beginning_is_recalled() -> None:
    sent = index()
    sent.learn("a", [1, 2, 3], 0.0)
    assert [depths(sent, asked) for asked in ([1, 2, 3, 4], [1, 2], [9, 3], [])] == [{"a": 3}, {"a": 2}, {}, {}]


def test_engines_are_told_apart_by_how_much_they_were_sent() -> None:
    sent = index()
    for engine, pieces in (("a", [1, 2, 3, 4]), ("b", [1, 2]), ("c", [1, 2, 9]), ("d", [7])):
        sent.learn(engine, pieces, 0.0)
    recalled = sent.recall([1, 2, 3, 4, 5], 0.0)
    assert recalled.runs == ((4, frozenset({"a"})), (2, frozenset({"b", "c"})))
    assert [recalled.depth(engine) for engine in "abcd"] == [4, 2, 2, 0]


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), paths, st.booleans()), max_size=30), paths)
def test_it_tells_what_a_list_of_all_that_was_sent_would_tell(said: list[tuple[str, list[int], bool]], asked: list[int]) -> None:
    sent = index()
    held: dict[str, set[tuple[int, ...]]] = {engine: {()} for engine in "abc"}
    for engine, path, lost in said:
        if lost and not path:
            sent.forget(engine)
            held[engine] = {()}
        else:
            sent.learn(engine, _chain(path), 0.0)
            held[engine] |= {tuple(path[:end]) for end in range(len(path) + 1)}
    deep = {engine: max(end for end in range(len(asked) + 1) if tuple(asked[:end]) in paths) for engine, paths in held.items()}
    assert depths(sent, _chain(asked)) == {engine: depth for engine, depth in deep.items() if depth}


def _chain(path: list[int]) -> list[int]:
    """Names of a path's beginnings: equal where these are."""
    return [hash(tuple(path[: end + 1])) & (2**64 - 1) for end in range(len(path))]


def test_an_engine_that_was_sent_twice_what_it_holds_is_not_believed_to_hold_the_first_of_it() -> None:
    sent = index(pieces=8)
    sent.learn("a", [1, 2, 3], 0.0)
    sent.learn("b", [1, 2, 3], 0.0)
    for other in range(100, 112, 2):
        sent.learn("a", [other, other + 1], 0.0)
    assert depths(sent, [1, 2, 3]) == {"b": 3}


def test_what_is_asked_for_again_stays() -> None:
    sent = index(pieces=8)
    for other in range(100, 130):
        sent.learn("a", [1, 2], 0.0)
        sent.learn("a", [other], 0.0)
    assert depths(sent, [1, 2]) == {"a": 2}
    assert depths(sent, [100]) == {}


def test_what_an_engine_was_sent_already_takes_no_room_again() -> None:
    sent = index(pieces=40)
    sent.learn("a", [1, 2, 3], 0.0)
    for turn in range(1, 11):
        sent.learn("a", list(range(100, 100 + turn)), 0.0)
    assert depths(sent, [1, 2, 3]) == {"a": 3}


def test_a_newcomer_is_not_taken_for_one_whose_bits_it_got() -> None:
    sent = index(pieces=8)
    sent.learn("gone", [1, 2], 0.0)
    sent.forget("gone")
    for other in range(100, 200):
        sent.learn("a", [1, 2], 0.0)
        sent.learn("a", [other], 0.0)
    for newcomer in "bcd":
        sent.learn(newcomer, [7], 0.0)
    assert depths(sent, [1, 2]) == {"a": 2}


def test_what_was_not_asked_for_in_a_while_counts_no_more() -> None:
    sent = index(age=60.0)
    sent.learn("a", [1, 2, 3], 0.0)
    assert depths(sent, [1, 2, 3], 29.0) == {"a": 3}
    assert depths(sent, [1, 2, 3], 31.0) == {"a": 3}
    sent.learn("a", [1, 2], 32.0)
    assert depths(sent, [1, 2, 3], 62.0) == {"a": 2}
    assert depths(sent, [1, 2, 3], 93.0) == {}


def test_a_forgotten_engine_holds_nothing_and_what_prompts_share_stays_known() -> None:
    sent = index(branches=2)
    for own in (10, 11, 12):
        sent.learn("a", [1, own], 0.0)
    sent.learn("b", [1, 10], 0.0)
    sent.forget("a")
    sent.forget("never-heard-of")
    recalled = sent.recall([1, 10], 0.0)
    assert (recalled.runs, recalled.shared) == (((2, frozenset({"b"})),), 1)
    sent.learn("a", [1], 0.0)
    assert depths(sent, [1, 10]) == {"a": 1, "b": 2}


def test_prompts_share_what_they_part_after() -> None:
    sent = index(branches=3)
    for own in (10, 20, 30):
        assert sent.recall([1, 2, own], 0.0).shared == 0
        sent.learn("a", [1, 2, own], 0.0)
    assert [sent.recall(asked, 0.0).shared for asked in ([1, 2, 10], [1, 2, 99], [1, 2], [1], [7, 8])] == [2, 2, 2, 1, 0]


def test_a_conversation_that_grows_shares_nothing_with_itself() -> None:
    sent = index(branches=3)
    for turn in range(1, 20):
        sent.learn("a", list(range(turn)), 0.0)
    assert sent.recall(list(range(30)), 0.0).shared == 0


def test_what_nearly_all_carry_is_common_as_far_as_it_is_shared() -> None:
    sent = index(branches=3)
    for number in range(10, 20):
        sent.learn("a", [1, 2, number % 2 + 3, number], 0.0)
    recalled = sent.recall([1, 2, 3, 77], 0.0)
    assert (recalled.shared, recalled.common) == (3, 2)


def test_of_a_prompt_that_nobody_was_sent_it_is_told_that_there_are_other_routers() -> None:
    sent = index()
    for _ in range(2):
        sent.others.found(0, 1000, 1000)
    assert sent.recall([1, 2], 0.0).others


def test_what_nearly_all_carry_is_not_common_before_it_is_shared() -> None:
    sent = SentPrefixes(crowd=Crowd(NEVER, sample=4))
    for own in range(10, 14):
        sent.learn("a", [1, own], 0.0)
    recalled = sent.recall([1, 99], 0.0)
    assert (recalled.shared, recalled.common) == (0, 0)


def test_bits_that_are_used_again_name_who_has_them_now() -> None:
    sent = index(age=60.0)
    sent.learn("gone", [1], 0.0)
    assert depths(sent, [1], 0.0) == {"gone": 1}
    sent.forget("gone")
    for now in (30.0, 60.0):
        sent.recall([9], now)
    sent.learn("newcomer", [1], 60.0)
    assert depths(sent, [1], 60.0) == {"newcomer": 1}


def test_bits_of_engines_that_left_are_used_again() -> None:
    believed = Believed(4 * PIECE_BYTES)
    sent = SentPrefixes(believed, Crowd(NEVER), 40 * ENTRY_BYTES)
    for number in range(500):
        sent.learn(f"engine-{number}", [number], 0.0)
        sent.forget(f"engine-{number - 1}")
    assert believed.live.bit_length() < 100


def test_what_an_engine_was_sent_counts_as_long_however_often_it_is_looked_at() -> None:
    sent = index(age=60.0)
    sent.learn("a", [1, 2, 3], 0.0)
    assert [depths(sent, [1, 2, 3], now) for now in (31.0, 32.0, 33.0)] == [{"a": 3}] * 3


def test_what_is_full_and_what_is_old_do_not_count_twice() -> None:
    sent = index(age=60.0, bytes_max=16 * ENTRY_BYTES)
    sent.learn("a", [1, 2, 3, 4], 25.0)
    assert depths(sent, [1, 2, 3, 4], 31.0) == {"a": 4}


def test_an_engine_that_joined_later_grows_old_by_its_own_time() -> None:
    sent = index(age=60.0)
    sent.recall([9], 0.0)
    sent.learn("a", [1, 2], 10.0)
    sent.recall([9], 30.0)
    sent.recall([9], 41.0)
    sent.learn("b", [1, 2], 42.0)
    assert depths(sent, [1, 2], 71.0) == {"b": 2}


def test_memory_is_bounded_and_told() -> None:
    sent, rng = index(pieces=100_000, bytes_max=400 * ENTRY_BYTES), random.Random(1)
    most = 0
    for _ in range(200):
        sent.learn("a", [rng.getrandbits(64) for _ in range(20)], 0.0)
        most = max(most, sent.bytes)
    assert 150 * ENTRY_BYTES < most <= 400 * ENTRY_BYTES


def test_what_is_dropped_goes_a_few_pieces_at_a_time() -> None:
    sent, rng = index(pieces=100_000, bytes_max=400 * ENTRY_BYTES), random.Random(1)
    told = [0]
    for _ in range(200):
        sent.learn("a", [rng.getrandbits(64) for _ in range(20)], 0.0)
        told.append(sent.bytes)
    assert max(before - after for before, after in pairwise(told)) <= 2 * 20 * ENTRY_BYTES


def test_bits_are_not_used_again_while_pieces_that_bear_them_are_remembered() -> None:
    sent = index(age=60.0)
    sent.learn("gone", [1, 2], 0.0)
    sent.forget("gone")
    sent.recall([9], 30.0)
    sent.learn("newcomer", [7], 30.0)
    assert depths(sent, [1, 2], 30.0) == {}


def test_what_is_too_old_takes_no_memory() -> None:
    sent = index(age=60.0)
    sent.learn("a", [1, 2, 3], 0.0)
    for now in (30.0, 60.0, 90.0):
        sent.recall([9], now)
    assert sent.bytes == 0


def test_no_more_is_remembered_than_engines_are_believed_to_hold() -> None:
    sent = index(pieces=8)
    for other in range(100):
        sent.learn("a", [other], 0.0)
    assert sent.bytes <= 3 * 8 * ENTRY_BYTES


def test_where_prompts_part_takes_memory_within_the_bound_too() -> None:
    sent = index(bytes_max=40 * ENTRY_BYTES)
    sent.learn("a", [1, 2], 0.0)
    sent.learn("a", [1, 3], 0.0)
    assert sent.bytes == 4 * ENTRY_BYTES
    for number in range(10, 1000, 10):
        sent.learn("a", [number, number + 1], 0.0)
        sent.learn("a", [number, number + 2], 0.0)
    assert sent.bytes <= 40 * ENTRY_BYTES


def test_an_entry_takes_what_it_is_said_to_take() -> None:
    rng = random.Random(1)
    tracemalloc.start()
    sent = index(pieces=100_000, bytes_max=64 << 20)
    for _ in range(500):
        sent.learn("a", [rng.getrandbits(64) for _ in range(32)], 0.0)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.5 * sent.bytes < taken < 1.2 * sent.bytes


def test_bits_of_engines_long_gone_are_used_again() -> None:
    believed = Believed(4 * PIECE_BYTES)
    sent = SentPrefixes(believed, Crowd(NEVER), 40 * ENTRY_BYTES)
    for number in range(2000):
        sent.learn(f"engine-{number % 3}", [number, -number], 0.0)
    assert believed.live.bit_length() < 100
    assert depths(sent, [1999, -1999]) == {"engine-1": 2}


@pytest.mark.parametrize(
    "make", [lambda: Believed(engine_bytes=1), lambda: Believed(age_seconds=0.0), lambda: SentPrefixes(bytes_max=100)]
)
def test_limits_out_of_range_are_refused(make: object) -> None:
    with pytest.raises(ValueError, match=r"engine_bytes|bytes_max"):
        make()  # type: ignore[operator]  # one of the above
