"""Token ids are token ids only when all of them are."""

from array import array

import pytest

from stack.engines.prompt_ids import token_ids


@pytest.mark.parametrize("prompt", [[1, 2], [[1, 2]]])
def test_one_list_of_ids_is_told(prompt: object) -> None:
    assert token_ids(prompt) == array("I", [1, 2])


@pytest.mark.parametrize(
    "prompt", [None, "hi", [], [[]], ["hi"], [[1], [2]], [1, True], [True, 1], [1, 2.0], [1, "2"], [1, [2]], [-1], [1, 1 << 32]]
)
def test_anything_else_is_not(prompt: object) -> None:
    assert token_ids(prompt) is None
