"""What LMCache finds beside what engines load."""

from __future__ import annotations

from dashboard.caching import loading
from dashboard.promapi import Sample


def _told(namespace: str, found: float, loaded: float) -> list[Sample]:
    rates = {"found": found, "loaded": loaded}
    return [Sample({"namespace": namespace, "replica": "decode-0", "quantity": name}, rate, 0.0) for name, rate in rates.items()]


def test_engines_of_one_name_in_two_fleets_are_two() -> None:
    frame = loading.use([*_told("a", 100.0, 50.0), *_told("b", 8.0, 2.0)])
    assert frame.to_dict("records") == [
        {"engine": "b / decode-0", "found": 8.0, "loaded": 2.0, "of use": 25.0},
        {"engine": "a / decode-0", "found": 100.0, "loaded": 50.0, "of use": 50.0},
    ]


def test_what_one_fleet_finds_is_not_held_against_what_another_loads() -> None:
    found, loaded = _told("a", 100.0, 0.0)[0], _told("b", 0.0, 2.0)[1]
    assert loading.use([found, loaded]).empty
