"""Numbers for people, and what stands where a number cannot be had."""

import pytest

from dashboard import notices


@pytest.mark.parametrize(("value", "text"), [(None, "unknown"), (0.0123, "12 ms"), (0.0, "0 ms"), (2.5, "2.50 s")])
def test_durations_below_a_second_are_milliseconds(value: float | None, text: str) -> None:
    assert notices.seconds(value) == text


@pytest.mark.parametrize(("value", "text"), [(None, "unknown"), (0.0, "0 %"), (0.456, "46 %")])
def test_a_ratio_is_per_cent(value: float | None, text: str) -> None:
    assert notices.percent(value) == text
