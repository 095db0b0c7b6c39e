"""Numbers for people, and what stands where a number cannot be had."""

import pytest

from dashboard import notices


@pytest.mark.parametrize(("value", "text"), [(None, "unknown"), (0.0123, "12 ms"), (0.0, "0 ms"), (2.5, "2.50 s")])
def test_durations_below_a_second_are_milliseconds(value: float | None, text: str) -> None:
    assert notices.seconds(value) == text


@pytest.mark.parametrize(("value", "text"), [(None, "unknown"), (0.0, "0 %"), (0.456, "46 %"), (0.1, "10 %"), (1.02, "102 %")])
def test_a_ratio_is_per_cent(value: float | None, text: str) -> None:
    assert notices.percent(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1e-9, "< 0.1 %"), (0.001, "0.1 %"), (0.004, "0.4 %"), (0.0312, "3.1 %"), (0.04, "4 %")]
)
def test_little_is_not_none(value: float, text: str) -> None:
    assert notices.percent(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.99, "99 %"), (0.996, "99.6 %"), (0.999, "99.9 %"), (0.9996, "> 99.9 %"), (0.1 + 0.2 + 0.7, "100 %")]
)
def test_nearly_all_is_not_all(value: float, text: str) -> None:
    assert notices.percent(value) == text
