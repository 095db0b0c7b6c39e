"""The whole stack over emulated engines."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from stack.metrics import catalog
from stack.model.tier import Source
from tests.e2e.deck import wait_for
from tests.e2e.emulated_deck import EmulatedDeck, emulated_deck

FIRST_PORT = 21800

pytestmark = pytest.mark.e2e


@pytest.fixture
def emulated(tmp_path: Path) -> Iterator[EmulatedDeck]:
    with emulated_deck(tmp_path, FIRST_PORT) as deck:
        yield deck


def test_it_serves_shows_every_tier_and_says_that_it_is_emulated(emulated: EmulatedDeck) -> None:
    reply = emulated.chat("What is the capital of France?")
    assert (reply.status, reply.body["system_fingerprint"]) == (200, "emulated")
    assert all(engine["emulated"] for engine in emulated.state()["engines"])
    shown = emulated.kvdeck("demo", "--json")
    assert shown.returncode == 0, f"{shown.stderr}\n{shown.stdout}"
    played = json.loads(shown.stdout)
    assert played["emulated"] is True
    sources = [Source.COMPUTED, Source.ENGINE, Source.L1, Source.L2, Source.PEER]
    assert [(step["source"], step["proven"]) for step in played["steps"]] == [(source, True) for source in sources]
    for tier in ("engine", "l1", "l2"):
        wait_for(partial(emulated.total, catalog.ROUTER_INDEX_BLOCKS, tier=tier), 10, f"the router knows of {tier}")
    behind = emulated.samples(catalog.ROUTER_INDEX_BLOCKS, tier="l1")
    assert len(set(behind.values())) == 1  # one cache server, whose L1 every engine reaches


def test_down_ends_everything_after_the_supervisor_was_killed(emulated: EmulatedDeck) -> None:
    processes = {name: component["pid"] for name, component in emulated.components().items() if component["pid"]}
    os.kill(processes["supervisor"], signal.SIGKILL)
    assert emulated.kvdeck("down").returncode == 0
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in processes.values()), 10, "every process ends")
