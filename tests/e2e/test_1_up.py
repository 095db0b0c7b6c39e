"""A stack that has just come up."""

import pytest

from stack.model.tier import Pool
from tests.e2e.deck import MODEL, Deck, wait_for

pytestmark = pytest.mark.e2e

COMPONENTS = {
    "supervisor", "router", "control", "exporter", "prometheus", "alertmanager", "dashboard", "redis", "lmcache",
    "prefill-0", "decode-0", "decode-1",
}  # fmt: skip


def test_every_component_is_ready(deck: Deck) -> None:
    assert {name: component["state"] for name, component in deck.components().items()} == dict.fromkeys(COMPONENTS, "ready")


def test_a_chat_gets_sensible_text_from_the_real_model(deck: Deck) -> None:
    reply = deck.chat("What is the capital of France?")
    assert reply.status == 200
    assert "Paris" in reply.text
    assert reply.body["model"] == MODEL


def test_the_answer_says_where_it_went(deck: Deck) -> None:
    headers = deck.chat("Say hello.").headers
    assert headers["x-kvdeck-path"] == "direct"
    assert headers["x-kvdeck-strategy"] == "prefix_aware"
    assert headers["x-kvdeck-engine"].startswith(Pool.DECODE.value)
    assert int(headers["x-kvdeck-generation"]) >= 1


def test_every_prometheus_target_is_up(deck: Deck) -> None:
    def down() -> list[str] | None:
        targets = deck.prometheus("/api/v1/targets", state="active")["activeTargets"]
        return None if not targets else [target["scrapeUrl"] for target in targets if target["health"] != "up"]

    wait_for(lambda: down() == [], 30, "every Prometheus target is up")


def test_every_rule_is_loaded_and_healthy(deck: Deck) -> None:
    rules = [rule for group in deck.prometheus("/api/v1/rules")["groups"] for rule in group["rules"]]
    assert sum(rule["type"] == "alerting" for rule in rules) >= 8
    assert [rule["name"] for rule in rules if rule["health"] == "err"] == []


def test_a_second_up_finds_the_first_and_says_so(deck: Deck) -> None:
    again = deck.kvdeck("up", "--detach", "--yes")
    assert again.returncode == 0
    assert str(deck.ports.router) in again.stdout
