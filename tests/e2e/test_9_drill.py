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
EMULATED = ("engine-frozen", "engine-killed", "transfer-lost")
REAL = ("engine-stuck", "l1-full", "l2-slow", "store-stopped")

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatedDeck]:
    with emulated_deck(tmp_path_factory.mktemp("drill"), FIRST_PORT) as deck:
        yield deck


@pytest.fixture(scope="module", autouse=True)
def beside(emulated: EmulatedDeck) -> Iterator[subprocess.Popen[str]]:
    """All that emulated engines can show, while real ones show the rest: drills wait most of the time."""
    with subprocess.Popen(
        emulated.command("drill", "--all", "--json"), cwd=ROOT, env=emulated.environment, stdout=subprocess.PIPE, text=True
    ) as playing:
        yield playing


@pytest.mark.parametrize("name", REAL)
def test_a_drill_passes_over_real_engines(deck: Deck, name: str) -> None:
    ended = deck.kvdeck("drill", name, "--json", timeout_seconds=1200)
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}\n{deck.logged()}"


def test_every_drill_that_emulated_engines_can_show_passes(beside: subprocess.Popen[str]) -> None:
    told, _ = beside.communicate(timeout=600)
    assert beside.returncode == 0, told
    played = json.loads(told)
    assert {drill["name"]: drill["passed"] for drill in played["drills"]} == dict.fromkeys(EMULATED, True)
    assert played["skipped"] == list(REAL)


def test_ctrl_c_mends_what_is_broken_and_gives_the_rules_back(emulated: EmulatedDeck) -> None:
    before = rule_files(emulated)
    pid = emulated.components()["emulator"]["pid"]
    heeding = ("env", "--default-signal=INT")  # what a script starts in the background ignores Ctrl-C, and hands that on
    command = (*heeding, *emulated.command("drill", "engine-frozen"))
    drill = subprocess.Popen(command, cwd=ROOT, env=emulated.environment, stdout=subprocess.DEVNULL)
    wait_for(lambda: "T (stopped)" in Path(f"/proc/{pid}/status").read_text(), 60, "the engines stand still")
    assert rule_files(emulated) != before
    drill.send_signal(signal.SIGINT)
    assert drill.wait(60) != 0
    assert "T (stopped)" not in Path(f"/proc/{pid}/status").read_text()
    assert rule_files(emulated) == before
    assert emulated.chat("What is the capital of France?").status == 200


def rule_files(deck: Deck) -> str:
    configuration: str = deck.prometheus("/api/v1/status/config")["yaml"]
    return configuration.partition("rule_files:")[2].partition("scrape_configs:")[0]
