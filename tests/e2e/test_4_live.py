"""Steering under load: strategies and pool sizes change, a prefill engine is killed, and no request fails."""

import os
import signal
import time

import httpx
import pytest

from tests.e2e.deck import MODEL, Deck, wait_for
from tests.e2e.load import steady

pytestmark = pytest.mark.e2e

STRATEGIES = ("round_robin", "session", "kv_aware", "prefix_aware")


def ready_decode_engines(deck: Deck) -> list[str]:
    return [engine["name"] for engine in deck.state()["engines"] if engine["pool"] == "decode" and engine["state"] == "ready"]


def test_strategies_and_pool_sizes_change_under_load_without_a_failed_request(deck: Deck) -> None:
    deck.change({"strategy": "prefix_aware", "dpd": {"enabled": True, "routing_threshold": 512}})
    with steady(deck) as load:
        for strategy in (*STRATEGIES, "prefix_aware"):
            deck.change({"strategy": strategy})
            time.sleep(8)
        deck.change({"pools": {"decode": {"replicas": 3}}})
        wait_for(lambda: len(ready_decode_engines(deck)) == 3, 240, "the third decode engine joins")
        time.sleep(10)
        deck.change({"pools": {"decode": {"replicas": 2}}})
        wait_for(lambda: len(ready_decode_engines(deck)) == 2 and len(deck.state()["engines"]) == 3, 120, "it leaves again")
    assert load.failures == []
    assert load.values("strategy") == set(STRATEGIES)
    assert "dpd" in load.values("path")
    generations = {int(value) for value in load.values("generation")}
    assert generations <= set(range(min(generations), deck.state()["generation"] + 1))
    told = {(outcome.generation, outcome.strategy) for outcome in load.outcomes}
    assert len(told) == len(generations), "an answer mixes generations"


def test_a_killed_prefill_engine_costs_no_request_raises_the_alert_and_comes_back(deck: Deck) -> None:
    pid = deck.components()["prefill-0"]["pid"]
    with steady(deck) as load:
        time.sleep(5)
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: "EngineDown" in deck.alerts(), 60, "the alert fires")
        wait_for(lambda: deck.components()["prefill-0"]["state"] == "ready", 240, "the engine comes back")
        wait_for(lambda: "EngineDown" not in deck.alerts(), 120, "the alert clears")
        time.sleep(15)
    assert load.failures == []
    assert deck.components()["prefill-0"]["pid"] != pid
    assert any("prefill" in fallback for fallback in load.values("fallback"))
    assert deck.complete("word " * 700, max_tokens=4).headers["x-kvdeck-path"] == "dpd"


def test_a_dry_run_changes_nothing(deck: Deck) -> None:
    before = deck.state()
    answer = httpx.patch(
        deck.url(deck.ports.control) + "/v1/state?dry_run=true",
        json={"models": {MODEL: {"strategy": "roundrobin"}}},
        headers={"If-Match": f'"{before["generation"]}"'},
        trust_env=False,
    ).json()
    assert [change["field"] for change in answer["diff"]] == [f"models.{MODEL}.strategy"]
    assert deck.state()["desired"] == before["desired"]
    assert deck.state()["generation"] == before["generation"]
