"""`kvdeck demo` shows every tier and DPD."""

import json

import pytest

from tests.e2e.deck import Deck

pytestmark = pytest.mark.e2e


def test_the_demo_proves_each_tier_and_leaves_the_state_as_it_was(deck: Deck) -> None:
    before = deck.state()["desired"]
    shown = deck.kvdeck("demo", "--json")
    assert shown.returncode == 0, f"{shown.stderr}\n{shown.stdout}"
    steps = json.loads(shown.stdout)["steps"]
    assert [(step["step"], step["source"], step["proven"]) for step in steps] == [
        ("cold", "computed", True),
        ("again", "engine", True),
        ("after the engine evicted it", "l1", True),
        ("after L1 evicted it", "l2", True),
        ("over DPD", "peer", True),
    ]
    assert all(step["ttft_seconds"] > 0 for step in steps)
    assert deck.state()["desired"] == before
