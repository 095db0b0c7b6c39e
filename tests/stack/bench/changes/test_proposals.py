"""Random changes are valid, differ from what is, and do something; equal seeds draw the same ones."""

from __future__ import annotations

import random

from stack.bench.changes.proposals import Patch, Proposals
from stack.control.decide import decide
from stack.strategies.base import names
from tests.stack.bench.changes.samples import START

COUNT, FEW = 150, 20


def drawn(seed: int, count: int) -> list[Patch]:
    proposals, desired, patches = Proposals(random.Random(seed), tuple(names())), START, list[Patch]()
    for _ in range(count):
        patches.append(proposals.next(desired.models["m"]))
        decision = decide({"models": {"m": patches[-1]}}, desired, (), names())
        assert decision.diff
        assert decision.effects, patches[-1]
        desired = decision.desired
    return patches


def test_each_change_is_valid_differs_from_what_is_and_has_an_effect() -> None:
    patches = drawn(1, COUNT)
    touched = {key for patch in patches for key in patch}
    assert touched == {
        "strategy",
        "fallback_strategy",
        "dpd",
        "pools",
        "limits",
        "session_keys",
        "shadow_share",
        "eject_stalled",
    }
    assert patches[:FEW] == drawn(1, FEW)
    assert patches[:FEW] != drawn(2, FEW)
