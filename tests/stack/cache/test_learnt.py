"""What an engine was sent is remembered, and dropped in the order in which the engine would drop it."""

import tracemalloc

import pytest

from stack.cache.learnt import PIECE_BYTES, LearntPrefixes


def test_only_a_contiguous_beginning_matches() -> None:
    learnt = LearntPrefixes()
    learnt.learn("a", (1, 2, 3), 0.0)
    assert [learnt.matched("a", asked, 0.0) for asked in [(1, 2, 3, 4), (1, 9, 3), (9, 3), ()]] == [3, 1, 0, 0]
    assert learnt.matched("b", (1, 2), 0.0) == 0


def test_the_oldest_tail_goes_first() -> None:
    learnt = LearntPrefixes(pieces_per_engine=4)
    learnt.learn("a", (1, 2, 3), 0.0)
    learnt.learn("a", (7, 8), 1.0)
    assert learnt.pieces("a") == 4
    assert learnt.matched("a", (1, 2, 3), 1.0) == 2
    learnt.learn("a", (1,), 2.0)
    learnt.learn("a", (9, 10), 3.0)
    assert (learnt.matched("a", (1, 2), 3.0), learnt.matched("a", (7, 8), 3.0)) == (1, 1)


def test_what_has_grown_old_counts_no_more() -> None:
    learnt = LearntPrefixes(age_seconds=60.0)
    learnt.learn("a", (1, 2, 3), 0.0)
    learnt.learn("a", (1, 2), 50.0)
    assert learnt.matched("a", (1, 2, 3), 60.0) == 3
    assert learnt.matched("a", (1, 2, 3), 61.0) == 2
    assert learnt.matched("a", (1, 2, 3), 111.0) == 0


def test_a_forgotten_engine_matches_nothing_and_others_stay() -> None:
    learnt = LearntPrefixes()
    learnt.learn("a", (1,), 0.0)
    learnt.learn("b", (1,), 0.0)
    learnt.forget("a")
    learnt.forget("never-heard-of")
    assert (learnt.matched("a", (1,), 0.0), learnt.matched("b", (1,), 0.0)) == (0, 1)


def test_many_engines_share_the_memory_there_is() -> None:
    learnt = LearntPrefixes(bytes_max=100 * PIECE_BYTES)
    for number in range(10):
        learnt.learn(f"engine-{number}", range(100), 0.0)
    for number in range(10):
        learnt.learn(f"engine-{number}", (1,), 0.0)
    assert learnt.bytes <= 100 * PIECE_BYTES


def test_a_piece_takes_what_it_is_said_to_take() -> None:
    tracemalloc.start()
    learnt = LearntPrefixes()
    learnt.learn("a", [hash((number, "piece")) & 0xFFFF_FFFF_FFFF_FFFF for number in range(16_384)], 1.5)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.5 * learnt.bytes < taken < 1.2 * learnt.bytes


@pytest.mark.parametrize("params", [{"pieces_per_engine": 0}, {"bytes_max": 1}, {"age_seconds": 0}])
def test_limits_must_be_positive(params: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        LearntPrefixes(**params)


def test_all_engines_are_told_at_once() -> None:
    learnt = LearntPrefixes(age_seconds=60.0)
    learnt.learn("a", (1, 2, 3), 0.0)
    learnt.learn("b", (1, 2), 100.0)
    learnt.learn("c", (9,), 100.0)
    assert [learnt.depths(asked, 100.0) for asked in [(1, 2, 3), (9, 1), (), (7,)]] == [{"b": 2}, {"c": 1}, {}, {}]


def test_what_is_asked_again_at_once_is_as_young_as_before() -> None:
    learnt = LearntPrefixes(age_seconds=60.0)
    for at in (0.0, 0.1, 0.5):
        learnt.learn("a", (1, 2), at)
    assert (learnt.matched("a", (1, 2), 60.5), learnt.matched("a", (1, 2), 60.6)) == (2, 0)
