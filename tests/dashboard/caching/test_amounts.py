"""Amounts as people read them."""

import pytest

from dashboard.caching import amounts


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(None, "unknown"), (0.34, "340 ms"), (75.0, "75.00 s"), (720.0, "12 min"), (12_600.0, "3.5 h"), (259_200.0, "3 d")],
)
def test_a_time_has_its_own_measure(seconds: float | None, said: str) -> None:
    assert amounts.lasting(seconds) == said


def test_memory_is_in_powers_of_two_and_may_be_unknown() -> None:
    assert [amounts.memory(value) for value in (None, 0.0, 5.0 * 2**20, 1.5 * 2**30)] == ["unknown", "0 MiB", "5 MiB", "1.5 GiB"]
