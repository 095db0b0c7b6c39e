"""Steering under load: strategies and pool sizes change, a prefill engine is killed, and no request fails."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import psutil
import pytest

from stack.metrics import catalog
from tests.e2e.deck import MODEL, Deck, wait_for
from tests.e2e.load import steady

pytestmark = pytest.mark.e2e

PROMPT = "The {} transfer. " + "One engine reads, another one writes, and the cache goes over the wire. " * 36
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
        wait_for(lambda: "KvdeckEngineDown" in deck.alerts(), 60, "the alert fires")
        wait_for(lambda: deck.components()["prefill-0"]["state"] == "ready", 240, "the engine comes back")
        wait_for(lambda: "KvdeckEngineDown" not in deck.alerts(), 120, "the alert clears")
        time.sleep(15)
    assert load.failures == []
    assert deck.components()["prefill-0"]["pid"] != pid
    assert any("prefill" in fallback for fallback in load.values("fallback"))
    wait_for(lambda: deck.complete("word " * 700, max_tokens=4).headers["x-kvdeck-path"] == "dpd", 30, "it prefills again")


def test_a_prefill_engine_killed_between_the_legs_costs_no_request_and_is_told_as_a_lost_transfer(deck: Deck) -> None:
    """The decode engine stands still until its peer is dead, so it asks nobody for the KV it was promised."""
    deck.change({"dpd": {"enabled": True, "routing_threshold": 512}, "pools": {"decode": {"replicas": 1}}})
    wait_for(lambda: len(ready_decode_engines(deck)) == 1 and len(deck.state()["engines"]) == 2, 120, "one decode engine is left")
    decode, prefill = (deck.components()[name]["pid"] for name in (*ready_decode_engines(deck), "prefill-0"))
    prefill_url = next(engine["url"] for engine in deck.state()["engines"] if engine["name"] == "prefill-0")
    lost = deck.total(catalog.ROUTER_FALLBACKS, reason="transfer_lost")
    whole = deck.complete(PROMPT.format("kept"), max_tokens=8)
    prefilled = deck.prompt_tokens(prefill_url)
    with ThreadPoolExecutor(1) as client, stopped(decode):
        answer = client.submit(deck.complete, PROMPT.format("lost"), 8)
        wait_for(lambda: deck.prompt_tokens(prefill_url) > prefilled, 8, "the first leg is computed")
        wait_for(lambda: deck.total(catalog.ROUTER_IN_FLIGHT, backend="prefill-0") == 0, 8, "the first leg ends")
        kill_whole(prefill)
    reply = answer.result(120)
    assert (whole.status, whole.headers["x-kvdeck-path"], whole.headers.get("x-kvdeck-fallback")) == (200, "dpd", None)
    assert (reply.status, reply.headers["x-kvdeck-path"], reply.headers["x-kvdeck-fallback"]) == (200, "dpd", "transfer_lost")
    assert reply.text == deck.complete(PROMPT.format("lost"), max_tokens=8).text
    wait_for(lambda: deck.total(catalog.ROUTER_FALLBACKS, reason="transfer_lost") == lost + 1, 5, "it is counted once")
    wait_for(lambda: deck.components()["prefill-0"]["state"] == "ready", 240, "the engine comes back")
    deck.change({"pools": {"decode": {"replicas": 2}}})
    wait_for(lambda: len(ready_decode_engines(deck)) == 2, 240, "the second decode engine comes back")


def family(pid: int) -> list[psutil.Process]:
    return [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]


def kill_whole(pid: int) -> None:
    """Ends the process and what it started, at once: an engine core outlives its server by a moment, and still hands out KV."""
    members = family(pid)
    for process in members:
        process.kill()
    wait_for(lambda: not any(running(process) for process in members), 20, "the whole engine is gone")


def running(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """The process and what it started stand still; they go on afterwards."""
    members = family(pid)
    for process in members:
        process.suspend()
    try:
        yield
    finally:
        for process in members:
            process.resume()


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
