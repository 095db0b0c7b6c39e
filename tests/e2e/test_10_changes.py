"""`kvdeck bench changes` on a stack of quick emulated engines: a short version of what a release is held to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.emulated_deck import EmulatedDeck, emulated_deck

FIRST_PORT = 22300

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatedDeck]:
    with emulated_deck(tmp_path_factory.mktemp("changes"), FIRST_PORT, "--profile", "h100-llama8b-tp1") as deck:
        yield deck


def bench(deck: EmulatedDeck, *arguments: str) -> dict[str, Any]:
    ran = deck.kvdeck("bench", "changes", "--json", "--rps", "10", *arguments)
    assert ran.returncode == 0, f"{ran.stderr}\n{ran.stdout}"
    report: dict[str, Any] = json.loads(ran.stdout)
    return report


def test_changes_under_load_fail_no_request_and_mix_no_generations(quick: EmulatedDeck) -> None:
    before = quick.state()["desired"]
    report = bench(quick, "--changes", "30")
    assert report["changes"]["applied"] == 30
    assert (report["requests"]["failed"], report["requests"]["mixed"], report["changes"]["unsound"]) == ({}, {}, [])
    assert report["requests"]["records"] == report["requests"]["sent"] > 30
    assert report["changes"]["started"] + report["changes"]["ended"] > 0
    assert (report["end"]["explained"], report["end"]["differs"]) == (True, [])
    assert quick.state()["desired"] == before


def test_control_that_is_killed_loses_no_generation_and_costs_no_request(quick: EmulatedDeck) -> None:
    report = bench(quick, "--changes", "10", "--kills", "5", "--pause", "0.02")
    assert report["kills"]["kills"] == 5
    assert (report["requests"]["failed"], report["requests"]["mixed"], report["changes"]["unsound"]) == ({}, {}, [])
    assert (report["end"]["explained"], report["end"]["differs"]) == (True, [])
