"""The store held down: its own series vanish, LMCache's remain, the alert comes and goes."""

import pytest

from stack.metrics import catalog
from tests.e2e.deck import Deck, wait_for

pytestmark = pytest.mark.e2e


def test_a_stopped_store_is_absent_not_zero_and_alerts_until_it_is_back(deck: Deck) -> None:
    before = cache_server(deck)
    assert deck.samples(catalog.CACHE_USED_BYTES, tier="l2")
    assert deck.kvdeck("stop", "redis").returncode == 0
    wait_for(lambda: deck.components()["redis"]["state"] == "held", 10, "the store is held")
    wait_for(lambda: not deck.samples(catalog.CACHE_USED_BYTES, replica="redis"), 15, "the store's own series vanish")
    assert not deck.samples(catalog.CACHE_EVICTED_KEYS, replica="redis")
    wait_for(lambda: deck.samples(catalog.CACHE_LOOKUP_TOKENS, tier="l1"), 10, "LMCache's series are there")
    assert deck.total(catalog.SCRAPE_COLLECTOR_SUCCESS, collector="store") == 0
    wait_for(lambda: "KvdeckStoreDown" in deck.alerts(), 60, "the alert is at Alertmanager")
    assert deck.chat("What is the capital of France?").status == 200
    assert deck.kvdeck("start", "redis").returncode == 0
    wait_for(lambda: deck.samples(catalog.CACHE_USED_BYTES, replica="redis"), 30, "the store's series are back")
    wait_for(lambda: "KvdeckStoreDown" not in deck.alerts(), 120, "the alert clears")
    # Its connection to the store would never come back, so it begins anew; what follows would find it away.
    wait_for(lambda: cache_server(deck) not in (None, before), 120, "the cache server serves again")


def cache_server(deck: Deck) -> int | None:
    """The process that is the cache server, while it is ready."""
    server = deck.components()["lmcache"]
    return server["pid"] if server["state"] == "ready" else None
