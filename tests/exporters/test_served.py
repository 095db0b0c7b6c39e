"""Served names of what LMCache calls by its path."""

from exporters.served import served_names
from tests.exporters.recorded import target


def test_one_root_served_under_two_names_has_the_first() -> None:
    assert served_names([target("a", model="m"), target("b", model="lora")]) == {"/models/smollm2": "lora"}
