"""Plug-ins by name."""

import pytest

from stack.registry import DuplicateNameError, Registry, UnknownNameError


def filled() -> Registry[int]:
    registry: Registry[int] = Registry("number")
    registry.register("two")(lambda: 2)
    registry.register("any")(lambda value=0: value)
    return registry


def test_a_name_creates_its_plugin_with_parameters() -> None:
    assert filled().create("any", value=7) == 7


def test_names_are_sorted() -> None:
    assert filled().names() == ("any", "two")


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown number 'three'; known: any, two"):
        filled().create("three")


def test_a_name_claimed_twice_is_loud() -> None:
    with pytest.raises(DuplicateNameError, match="number 'two' is registered twice"):
        filled().register("two")(lambda: 3)
