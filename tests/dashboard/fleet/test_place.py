"""A pool's name in a link."""

import pytest

from dashboard.fleet.place import Place
from stack.metrics.family import Label


def test_a_pool_is_its_model_and_its_kind() -> None:
    place = Place("org/model one", "decode")
    assert (str(place), Place.of(str(place))) == ("org/model one decode", place)


@pytest.mark.parametrize("text", ["", "all", "decode", "smollm2 nowhere"])
def test_what_is_no_pool_is_none(text: str) -> None:
    assert Place.of(text) is None


def test_a_question_is_narrowed_to_it() -> None:
    assert Place("m", "decode").within({Label.CLUSTER: "c"}) == {
        Label.CLUSTER: "c",
        Label.MODEL_NAME: "m",
        Label.POOL: "decode",
    }
