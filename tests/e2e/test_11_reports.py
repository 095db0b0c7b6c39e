"""What a change came to, and what another would, on a stack of quick emulated engines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.deck import wait_for
from tests.e2e.emulated_deck import EmulatedDeck, emulated_deck

FIRST_PORT = 22400

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatedDeck]:
    with emulated_deck(tmp_path_factory.mktemp("reports"), FIRST_PORT, "--profile", "h100-llama8b-tp1") as deck:
        yield deck


def told(deck: EmulatedDeck, *words: str) -> Any:
    ran = deck.kvdeck("ctl", *words, "--json")
    assert ran.returncode == 0, f"{ran.stderr}\n{ran.stdout}"
    return json.loads(ran.stdout)


def traffic(deck: EmulatedDeck, seconds: int) -> None:
    url = f"http://127.0.0.1:{deck.ports.router}"
    ran = deck.kvdeck("traffic", "--url", url, "--rate", "10", "--duration", str(seconds))
    assert ran.returncode == 0, f"{ran.stderr}\n{ran.stdout}"


def test_a_changes_report_tells_its_requests_from_those_before_it_and_outlives_control(quick: EmulatedDeck) -> None:
    traffic(quick, 15)
    trials = {trial["threshold"]: trial for trial in told(quick, "what-if", "0", "100000")["trials"]}
    assert (trials[0]["share"], trials[100_000]["share"]) == (1.0, 0.0)
    generation = told(quick, "set", "dpd.routing_threshold=100000")["generation"]
    traffic(quick, 25)
    (report,) = told(quick, "report", str(generation))["reports"]
    assert report["settled_seconds"] >= 10
    assert report["settling"] > 30
    assert min(report["before"]["requests"], report["after"]["requests"]) > 60
    rows = {row["quantity"]: row for row in report["rows"]}
    assert rows["disaggregated_share"]["after"]["value"] == 0
    assert rows["failed_share"]["before"]["value"] == rows["failed_share"]["after"]["value"] == 0
    assert rows["ttft_p50_seconds"]["before"]["low"] <= rows["ttft_p50_seconds"]["before"]["value"]
    assert quick.kvdeck("stop", "control").returncode == 0
    assert quick.kvdeck("start", "control").returncode == 0
    wait_for(lambda: quick.kvdeck("ctl", "get").returncode == 0, 30, "control is back")
    (kept,) = told(quick, "report", str(generation))["reports"]
    assert (kept["before"], kept["settling"]) == (report["before"], report["settling"])
    assert kept["notes"][0].startswith("Control ended before this was complete")
