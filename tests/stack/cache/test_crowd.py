"""What many prompts share, and what only one conversation has."""

import pytest

from stack.cache.crowd import Crowd


def test_prompts_share_what_they_part_after() -> None:
    crowd = Crowd(branches=3)
    for own in (10, 20, 30):
        assert crowd.shared((1, 2, own)) == 0
        crowd.note((1, 2, own), None)
    assert [crowd.shared(pieces) for pieces in [(1, 2, 10), (1, 2, 99), (1, 2), (1,), (7, 8)]] == [2, 2, 2, 0, 0]


def test_a_conversation_that_grows_shares_nothing_with_itself() -> None:
    crowd = Crowd(branches=3)
    for turn in range(1, 20):
        crowd.note(tuple(range(turn)), 77)
    assert crowd.shared(tuple(range(30))) == 0


def test_prompts_that_end_together_part_by_their_openings() -> None:
    crowd = Crowd(branches=3)
    for opening in (None, None, None, 5, 5, 6):
        crowd.note((1, 2), opening)
    assert crowd.shared((1, 2)) == 0
    crowd.note((1, 2), 7)
    assert crowd.shared((1, 2)) == 2


def test_a_share_asks_how_many_of_late_carry_it() -> None:
    crowd = Crowd(branches=2)
    for own in range(10, 18):
        crowd.note((1, own % 2, own), None)
    assert [crowd.shared((1, 0, 10), share) for share in (0.0, 0.5, 0.6, 1.0)] == [2, 2, 1, 1]


def test_what_was_said_two_windows_ago_is_forgotten() -> None:
    crowd = Crowd(window=4, branches=2)
    for own in (10, 20):
        crowd.note((1, own), None)
    for other in range(6):
        crowd.note((7, other), None)
    assert crowd.shared((1, 10)) == 1
    crowd.note((8,), None)
    assert (crowd.shared((1, 10)), crowd.shared((7, 0))) == (0, 1)


@pytest.mark.parametrize("params", [{"window": 0}, {"branches": 1}])
def test_a_crowd_of_nobody_is_refused(params: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="crowd"):
        Crowd(**params)
