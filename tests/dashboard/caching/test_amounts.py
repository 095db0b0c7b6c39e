"""Amounts as people read them."""

import pytest

from dashboard.caching import amounts
from dashboard.promapi import Sample


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(None, "unknown"), (0.34, "340 ms"), (75.0, "75.00 s"), (720.0, "12 min"), (12_600.0, "3.5 h"), (259_200.0, "3 d")],
)
def test_a_time_has_its_own_measure(seconds: float | None, said: str) -> None:
    assert amounts.lasting(seconds) == said


def test_memory_is_in_powers_of_two_and_may_be_unknown() -> None:
    assert [amounts.memory(value) for value in (None, 0.0, 5.0 * 2**20, 1.5 * 2**30)] == ["unknown", "0 MiB", "5 MiB", "1.5 GiB"]


def test_a_fleet_is_told_only_where_there_is_a_name_for_it() -> None:
    assert amounts.fleet(Sample({"cluster": "c", "namespace": "n"}, 1.0, 0.0)) == "c / n"
    assert amounts.fleet(Sample({"tier": "l1"}, 1.0, 0.0)) == ""


def test_a_place_has_its_fleet_where_there_are_several() -> None:
    a, b = (Sample({"namespace": name, "replica": "decode-0"}, 1.0, 0.0) for name in ("a", "b"))
    assert [amounts.places([a], [b])(one) for one in (a, b)] == ["a / decode-0", "b / decode-0"]
    assert amounts.places([a], [])(a) == "decode-0"


def test_a_sentence_begins_with_its_fleet_where_there_are_several() -> None:
    assert (amounts.beginning("c / a", ["c / a"]), amounts.beginning("c / a", ["c / a", "c / b"])) == ("", "`c / a`: ")
