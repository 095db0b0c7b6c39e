"""What many prompts share, and what nearly all of them carry."""

import pytest

from stack.cache.crowd import Crowd


def test_a_piece_is_shared_once_enough_have_parted_after_it() -> None:
    crowd = Crowd(branches=4)
    crowd.note([1, 2])
    assert [crowd.parted(1) for _ in range(4)] == [False, False, True, True]
    crowd.forget()
    assert (crowd.parted(1), len(crowd)) == (False, 1)


def test_what_most_prompts_of_late_carry_is_common() -> None:
    crowd = Crowd(sample=10)
    for own in range(10):
        crowd.note([1, 2, 3, own] if own % 5 else [own])
    assert [crowd.common(pieces) for pieces in ([1, 2, 3, 4], [1, 2, 3], [1, 2], [9], [])] == [3, 3, 0, 0, 0]


def test_what_is_common_is_not_what_the_oldest_prompt_of_the_sample_carries() -> None:
    crowd = Crowd(sample=10)
    for own in range(10):
        crowd.note([1, 2, 3] if own % 5 else [7, 8, 9])
    assert [crowd.common(pieces) for pieces in ([1, 2, 3], [7, 8, 9])] == [3, 0]


def test_what_few_carry_by_now_is_common_no_more() -> None:
    crowd = Crowd(sample=10)
    for own in range(10):
        crowd.note([1, own])
    assert crowd.common([1, 99]) == 1
    for own in range(10):
        crowd.note([own % 2, own])
    assert crowd.common([1, 99]) == 0


@pytest.mark.parametrize("params", [{"sample": 0}, {"branches": 1}])
def test_a_crowd_of_nobody_is_refused(params: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="crowd"):
        Crowd(**params)
