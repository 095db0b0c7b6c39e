"""Things broken for real: the alerts that must come do, others do not, and all of it is gone afterwards."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.deck import ROOT, Deck, wait_for
from tests.e2e.emulated_deck import EmulatedDeck, emulated_deck

FIRST_PORT = 22200
REAL = ("engine-stuck", "store-stopped")

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatedDeck]:
    with emulated_deck(tmp_path_factory.mktemp("drill"), FIRST_PORT) as deck:
        yield deck


def test_every_drill_that_emulated_engines_can_show_passes(emulated: EmulatedDeck) -> None:
    ended = emulated.kvdeck("drill", "--all", "--json")
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
    told = json.loads(ended.stdout)
    assert {drill["name"]: drill["passed"] for drill in told["drills"]} == dict.fromkeys(
        ("engine-frozen", "engine-killed", "transfer-lost"), True
    )
    assert told["skipped"] == sorted(REAL)


def test_ctrl_c_mends_what_is_broken_and_gives_the_rules_back(emulated: EmulatedDeck) -> None:
    before = rule_files(emulated)
    pid = emulated.components()["emulator"]["pid"]
    drill = subprocess.Popen(
        emulated.command("drill", "engine-frozen"), cwd=ROOT, env=emulated.environment, stdout=subprocess.DEVNULL
    )
    wait_for(lambda: "T (stopped)" in Path(f"/proc/{pid}/status").read_text(), 60, "the engines stand still")
    assert rule_files(emulated) != before
    drill.send_signal(signal.SIGINT)
    assert drill.wait(60) != 0
    assert "T (stopped)" not in Path(f"/proc/{pid}/status").read_text()
    assert rule_files(emulated) == before
    assert emulated.chat("What is the capital of France?").status == 200


@pytest.mark.parametrize("name", REAL)
def test_a_drill_passes_over_real_engines(deck: Deck, name: str) -> None:
    ended = deck.kvdeck("drill", name, "--json", timeout_seconds=1200)
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"


def rule_files(deck: Deck) -> str:
    configuration: str = deck.prometheus("/api/v1/status/config")["yaml"]
    return configuration.partition("rule_files:")[2].partition("scrape_configs:")[0]
