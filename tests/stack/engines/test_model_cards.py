"""What an engine lists at /v1/models."""

import pytest

from stack.engines.model_cards import ModelCard, own_models


def test_adapters_and_what_is_malformed_are_left_out() -> None:
    answer = {
        "object": "list",
        "data": [
            {"id": "sql", "root": "/adapters/sql", "parent": "llama"},
            {"id": "llama", "root": "/models/llama", "parent": None},
            {"id": "llama-2", "root": ""},
            {"id": 3, "root": "/models/x"},
            "llama",
        ],
    }
    assert own_models(answer) == (ModelCard("llama", "/models/llama"), ModelCard("llama-2", None))


@pytest.mark.parametrize("answer", [{}, {"data": []}, {"data": [{}]}, {"data": [3]}, [], {"data": {"id": "a"}}, None, "x"])
def test_a_list_that_names_none_has_none(answer: object) -> None:
    assert own_models(answer) == ()
