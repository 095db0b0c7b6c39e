"""What engines were sent."""

import pytest

from stack.cache.learnt import LearntPrefixes


def test_only_the_leading_pieces_count() -> None:
    learnt = LearntPrefixes()
    learnt.learn("a", (1, 2, 3))
    assert [learnt.matched("a", hashes) for hashes in [(1, 2, 3, 4), (1, 9, 8), (7, 8), ()]] == [3, 1, 0, 0]
    assert learnt.matched("b", (1, 2)) == 0


def test_what_was_sent_longest_ago_is_dropped_first_and_tails_before_heads() -> None:
    learnt = LearntPrefixes(pieces_per_engine=4)
    learnt.learn("a", (1, 2, 3))
    learnt.learn("a", (7, 8))
    assert learnt.pieces("a") == 4
    assert learnt.matched("a", (1, 2, 3)) == 2
    learnt.learn("a", (1,))
    learnt.learn("a", (9, 10))
    assert learnt.matched("a", (1, 2, 3)) == 1


def test_an_engine_can_be_forgotten() -> None:
    learnt = LearntPrefixes()
    learnt.learn("a", (1,))
    learnt.learn("b", (1,))
    learnt.forget("a")
    assert (learnt.matched("a", (1,)), learnt.matched("b", (1,))) == (0, 1)


def test_no_room_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="pieces_per_engine"):
        LearntPrefixes(0)
