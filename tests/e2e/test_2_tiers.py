"""The tiers, each proven by the waterfall of the engine that served the prompt; and DPD."""

from collections.abc import Callable

import pytest

from stack.config import Layout
from stack.demo.prompt import counter, text_of
from stack.metrics import catalog
from stack.model.tier import Source
from tests.e2e.deck import ROOT, Deck, Reply, wait_for

pytestmark = pytest.mark.e2e

TOKENS = 2_000
HALF = TOKENS / 2


@pytest.fixture(scope="module")
def prompt_of(deck: Deck) -> Callable[[str], str]:
    """A 2,000-token prompt that starts with a given word."""
    length_of = counter(Layout.of(ROOT, ROOT).model)
    return lambda nonce: text_of(TOKENS, nonce, length_of)


@pytest.fixture(scope="module")
def direct(deck: Deck) -> None:
    """Threshold 4096 and prefix_aware: long prompts stay on one decode engine."""
    deck.change({"strategy": "prefix_aware", "dpd": {"enabled": True, "routing_threshold": 4096}})


def gained(deck: Deck, engine: str, ask: Callable[[], Reply]) -> dict[Source, float]:
    """What one request added to the waterfall of `engine`, which must be the one that serves it."""
    before = deck.sources(engine)
    reply = ask()
    assert (reply.status, reply.headers["x-kvdeck-engine"]) == (200, engine)
    prompt_tokens = reply.body["usage"]["prompt_tokens"]
    after = wait_for(lambda: _grown(deck, engine, before, prompt_tokens), 10, "the exporter sees the request")
    return {source: after[source] - before[source] for source in Source}


def _grown(deck: Deck, engine: str, before: dict[Source, float], tokens: int) -> dict[Source, float] | None:
    now = deck.sources(engine)
    return now if sum(now.values()) - sum(before.values()) >= tokens else None


def others_on(deck: Deck, engine: str, count: int, prompt_of: Callable[[str], str], series: str) -> None:
    """Send fresh prompts until `count` of them were served by `engine`."""
    served = tried = 0
    while served < count:
        served += deck.complete(prompt_of(f"{series}{tried}"), max_tokens=1).headers["x-kvdeck-engine"] == engine
        tried += 1
        assert tried < 8 * count, f"{engine} gets no new prompts"


@pytest.mark.usefixtures("direct")
def test_a_prompt_comes_from_the_engine_then_from_l1_then_from_l2(deck: Deck, prompt_of: Callable[[str], str]) -> None:
    prompt = prompt_of("tiers")
    engine = deck.complete(prompt, max_tokens=1).headers["x-kvdeck-engine"]
    again = gained(deck, engine, lambda: deck.complete(prompt, max_tokens=1))
    assert again[Source.ENGINE] > HALF
    others_on(deck, engine, 3, prompt_of, "evict-engine")
    from_l1 = gained(deck, engine, lambda: deck.complete(prompt, max_tokens=1))
    assert from_l1[Source.L1] > HALF
    others_on(deck, engine, 8, prompt_of, "evict-l1")
    from_l2 = gained(deck, engine, lambda: deck.complete(prompt, max_tokens=1))
    assert from_l2[Source.L2] > HALF


@pytest.mark.usefixtures("direct")
def test_the_sources_of_each_engine_sum_to_its_prompt_tokens(deck: Deck) -> None:
    for engine in deck.state()["engines"]:
        own = deck.prompt_tokens(engine["url"])
        assert sum(deck.sources(engine["name"]).values()) == own, engine["name"]


def test_over_dpd_the_kv_is_transferred_and_the_text_is_the_same(deck: Deck, prompt_of: Callable[[str], str]) -> None:
    prompt = prompt_of("disaggregated")
    deck.change({"dpd": {"enabled": True, "routing_threshold": 512}})
    before = deck.total(catalog.KV_TRANSFER_BYTES)
    over_dpd = deck.complete(prompt, max_tokens=24)
    assert (over_dpd.status, over_dpd.headers["x-kvdeck-path"]) == (200, "dpd")
    assert over_dpd.headers["x-kvdeck-prefill-engine"] == "prefill-0"
    wait_for(lambda: deck.total(catalog.KV_TRANSFER_BYTES) > before + 10_000_000, 10, "the transfer is counted")
    deck.change({"dpd": {"enabled": False}})
    direct = deck.complete(prompt, max_tokens=24)
    assert direct.headers["x-kvdeck-path"] == "direct"
    assert over_dpd.text == direct.text
    deck.change({"dpd": {"enabled": True, "routing_threshold": 512}})
