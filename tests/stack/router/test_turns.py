"""Turns are counted apart where they are taken apart."""

from stack.model.tier import Path
from stack.router.turns import Turns


def test_every_model_and_path_has_turns_of_its_own() -> None:
    turns = Turns()
    taken = [("m", Path.DIRECT), ("m", Path.DPD), ("m", Path.DIRECT), ("m", Path.DPD), ("other", Path.DPD), ("m", Path.DIRECT)]
    assert [turns.take(model, path) for model, path in taken] == [0, 0, 1, 1, 0, 2]
