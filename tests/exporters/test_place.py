"""Where targets run is on their series, where anybody said it."""

import pytest
from msgspec.structs import replace

from exporters.collector import Point
from exporters.place import NOWHERE, place, placed, places
from stack.metrics import catalog
from stack.metrics.family import Label
from tests.exporters.recorded import target

A = target("a")
POINT = Point(catalog.BUILD_INFO, {Label.VERSION: "1"}, 1.0)


@pytest.mark.parametrize(
    ("namespace", "cluster", "expected"),
    [
        (None, None, {}),
        ("llm", None, {Label.NAMESPACE: "llm"}),
        (None, "west", {Label.CLUSTER: "west"}),
        ("llm", "west", {Label.CLUSTER: "west", Label.NAMESPACE: "llm"}),
    ],
)
def test_only_what_was_said_is_a_label(namespace: str | None, cluster: str | None, expected: dict[Label, str]) -> None:
    assert place(replace(A, namespace=namespace, cluster=cluster)) == expected


def test_a_target_of_which_no_place_is_known_has_none() -> None:
    assert places([A, replace(A, replica="b", namespace="llm")]) == {"b": {Label.NAMESPACE: "llm"}}


def test_points_are_of_their_place_and_stay_as_they_are_without_one() -> None:
    assert list(placed([POINT], NOWHERE)) == [POINT]
    there = Point(catalog.BUILD_INFO, {Label.VERSION: "1", Label.NAMESPACE: "llm"}, 1.0)
    assert list(placed([POINT], {Label.NAMESPACE: "llm"})) == [there]
