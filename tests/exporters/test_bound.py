"""A label whose values others choose."""

import pytest

from exporters.bound import OTHER, Bound


def test_a_hundred_thousand_values_make_1001() -> None:
    bound = Bound()
    told = {bound("l", f"model-{number}") for number in range(100_000)}
    assert len(told) == 1001
    assert "other" in told


def test_what_passed_once_passes_always() -> None:
    bound = Bound(1)
    assert [bound("l", value) for value in ("a", "b", "a")] == ["a", "other", "a"]


def test_a_value_of_two_targets_takes_one_place() -> None:
    bound = Bound(2)
    assert [bound("l", "a"), bound("m", "a"), bound("m", "b"), bound("m", "c")] == ["a", "a", "b", "other"]


def test_the_values_of_a_forgotten_target_make_room() -> None:
    bound = Bound(1)
    bound("l", "a")
    bound.forget("l")
    assert bound("m", "b") == "b"


def test_a_target_that_has_an_other_keeps_it_as_it_is() -> None:
    """Else its `other` would fall, which reads as a restart."""
    bound = Bound(1)
    assert [bound("l", "a"), bound("m", "b")] == ["a", "other"]
    bound.forget("l")
    assert [bound("n", "b"), bound("m", "b"), bound("m", "c")] == ["b", "other", "other"]
    bound.forget("m")
    assert bound("m", "b") == "b"


@pytest.mark.parametrize("value", ["m" * 257, "a\nb", "a\x00b", "\u2028"])
def test_what_no_label_should_hold_is_other(value: str) -> None:
    bound = Bound()
    assert (bound("server", value), bound("server", "m" * 256)) == (OTHER, "m" * 256)
