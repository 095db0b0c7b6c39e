"""The whole stack over emulated engines, in a home of its own: any machine can bring it up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from stack.config import Ports
from stack.metrics import catalog
from stack.model.tier import Source
from tests.e2e.deck import PATIENCE, ROOT, Deck, wait_for

FIRST_PORT = 21800
UP_SECONDS = 60.0 * PATIENCE

pytestmark = pytest.mark.e2e


@dataclass(frozen=True, slots=True)
class EmulatedDeck(Deck):
    """A deck whose command line runs in `home`."""

    home: Path

    def kvdeck(self, *arguments: str, timeout_seconds: float = 600) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "stack.cli.main", *arguments],
            capture_output=True, text=True, timeout=timeout_seconds, check=False, cwd=ROOT,
            env={**os.environ, "KVDECK_HOME": str(self.home)},
        )  # fmt: skip


@pytest.fixture
def emulated(tmp_path: Path) -> Iterator[EmulatedDeck]:
    """Up within a minute (of an idle machine), programs and tokenizer at hand; down at the end, whatever happened."""
    for part in ("alerts", "dashboard"):
        (tmp_path / part).symlink_to(ROOT / part)
    (tmp_path / ".kvdeck").mkdir()
    for part in ("debian", "models"):
        (tmp_path / ".kvdeck" / part).symlink_to(ROOT / ".kvdeck" / part)
    deck = EmulatedDeck(Ports.packed(FIRST_PORT), tmp_path)
    began = time.monotonic()
    started = deck.kvdeck("up", "--engines", "emulated", "--detach", "--yes", "--no-traffic", "--ports-from", str(FIRST_PORT))
    assert started.returncode == 0, f"{started.stdout}\n{started.stderr}"
    assert time.monotonic() - began < UP_SECONDS
    yield deck
    assert deck.kvdeck("down").returncode == 0


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
