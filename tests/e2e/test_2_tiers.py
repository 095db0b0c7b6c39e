"""The tiers, each proven by the waterfall of the engine that served the prompt; and DPD."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx
import pytest
from redis import Redis

from stack.api.client import ControlClient
from stack.config import Layout
from stack.demo.prompt import encoder, text_of
from stack.demo.whereabouts import Whereabouts
from stack.metrics import catalog
from stack.model.tier import Source, Tier
from tests.e2e.deck import MODEL, ROOT, Deck, wait_for

pytestmark = pytest.mark.e2e

TOKENS = 2_000
HALF = TOKENS / 2
DECODERS = ("decode-0", "decode-1")
MODEL_ROOT = Layout.of(ROOT, ROOT).model


@pytest.fixture(scope="module")
def prompt_of(deck: Deck) -> Callable[[str], str]:
    """A 2,000-token prompt that starts with a given word."""
    encode = encoder(MODEL_ROOT)
    return lambda nonce: text_of(TOKENS, nonce, lambda text: len(encode(text)))


@pytest.fixture(scope="module")
def where(deck: Deck) -> Iterator[Whereabouts]:
    """What the cache server reported to control, prompt by prompt."""
    with ControlClient(deck.url(deck.ports.control)) as control:
        yield Whereabouts(control, str(MODEL_ROOT), "lmcache", encoder(MODEL_ROOT), time.monotonic)


@pytest.fixture(scope="module")
def direct(deck: Deck) -> None:
    """Threshold 4096 and kv_aware: long prompts stay on one decode engine, and each decision says what was known."""
    deck.change({"strategy": "kv_aware", "dpd": {"enabled": True, "routing_threshold": 4096}})


@dataclass(frozen=True, slots=True)
class Served:
    """One request: the engine, what it added to the waterfall there, and what its decision record says."""

    engine: str
    sources: dict[Source, float]
    record: dict[str, Any]

    @property
    def predicted(self) -> dict[str, float]:
        """What the chosen engine was known to reach, in tokens by tier; a tier that nobody could tell about is not here."""
        scores = next(c["scores"] for c in self.record["decode"]["candidates"] if c["engine"] == self.engine)
        return {tier: scores[f"{tier}_tokens"] for tier in Tier if f"{tier}_tokens" in scores}


def served(deck: Deck, prompt: str) -> Served:
    """Ask for one token, and wait until exporter and control have heard of it."""
    before = {engine: waterfall(deck, engine) for engine in DECODERS}
    reply = deck.complete(prompt, max_tokens=1)
    assert reply.status == 200
    engine, tokens = reply.headers["x-kvdeck-engine"], reply.body["usage"]["prompt_tokens"]
    after = wait_for(lambda: _grown(deck, engine, before[engine], tokens), 10, "the exporter sees the request")
    record = wait_for(lambda: deck.decision(reply.headers["x-request-id"]), 10, "control has the decision")
    return Served(engine, {source: after[source] - before[engine][source] for source in Source}, record)


def waterfall(deck: Deck, engine: str) -> dict[Source, float]:
    return wait_for(lambda: deck.sources(engine), 10, f"the exporter reads {engine}")


def _grown(deck: Deck, engine: str, before: dict[Source, float], tokens: int) -> dict[Source, float] | None:
    now = deck.sources(engine)
    return now if now and sum(now.values()) - sum(before.values()) >= tokens else None


def others_on(deck: Deck, engine: str, count: int, prompt_of: Callable[[str], str], series: str) -> None:
    """Fresh prompts, sent to `engine` itself: through the router some would go elsewhere, and fill L1 all the same."""
    url = next(listed["url"] for listed in deck.state()["engines"] if listed["name"] == engine)
    for number in range(count):
        body = {"model": MODEL, "prompt": prompt_of(f"{series}{number}"), "max_tokens": 1}
        httpx.post(f"{url}/v1/completions", json=body, timeout=120, trust_env=False).raise_for_status()


def kept(deck: Deck, where: Whereabouts, prompt: str) -> None:
    """Wait until L1 and L2 are reported to hold the prompt, and the router has heard of it."""

    def whole() -> bool:
        held = [where.held(tier, prompt) for tier in (Tier.L1, Tier.L2)]
        return all(one.tokens == one.whole for one in held)

    wait_for(whole, 15, "L1 and L2 hold the prompt")
    all_reported(deck)


def all_reported(deck: Deck) -> None:
    """LMCache reports twice a second, and what it stores in L2 a moment later: wait until the router's counts stand still."""
    seen: list[object] = []

    def still() -> bool:
        seen.append(deck.samples(catalog.ROUTER_INDEX_BLOCKS))
        return len(seen) > 6 and all(counts == seen[-1] for counts in seen[-6:])

    wait_for(still, 30, "reports settle")


@pytest.mark.usefixtures("direct")
def test_a_prompt_comes_from_the_engine_then_from_l1_then_from_l2_and_each_is_foreseen(
    deck: Deck, where: Whereabouts, prompt_of: Callable[[str], str]
) -> None:
    prompt = prompt_of("tiers")
    engine = served(deck, prompt).engine
    kept(deck, where, prompt)
    again = served(deck, prompt)
    assert again.sources[Source.ENGINE] > HALF
    assert again.predicted[Tier.ENGINE] == again.record["cached_tokens"]

    others_on(deck, engine, 3, prompt_of, "evict-engine")
    all_reported(deck)
    from_l1 = served(deck, prompt)
    assert from_l1.sources[Source.L1] > HALF
    assert from_l1.predicted[Tier.L1] == from_l1.record["cached_tokens"] == from_l1.record["decode"]["expected_cached_tokens"]

    others_on(deck, from_l1.engine, 3, prompt_of, "evict-engine-again")
    for number in range(12):
        if not where.held(Tier.L1, prompt).tokens:
            break
        others_on(deck, from_l1.engine, 1, prompt_of, f"evict-l1-{number}")
    all_reported(deck)
    from_l2 = served(deck, prompt)
    assert from_l2.sources[Source.L2] > HALF
    assert from_l2.predicted[Tier.L2] == from_l2.record["cached_tokens"] == from_l2.record["decode"]["expected_cached_tokens"]


@pytest.mark.usefixtures("direct")
def test_what_the_store_lost_by_itself_is_unknown_and_never_promised(
    deck: Deck, where: Whereabouts, prompt_of: Callable[[str], str]
) -> None:
    prompt = prompt_of("lost")
    engine = served(deck, prompt).engine
    kept(deck, where, prompt)
    wait_for(lambda: deck.total(catalog.ROUTER_INDEX_BLOCKS, backend=engine, tier="l2"), 5, "the router knows of L2")
    Redis(port=deck.ports.store).flushall()
    # Unknown, and soon after known to be empty: whichever is seen first.
    wait_for(lambda: deck.total(catalog.ROUTER_INDEX_BLOCKS, backend=engine, tier="l2") == 0, 5, "nothing is known to be in L2")
    wait_for(lambda: deck.total(catalog.CONTROL_CACHE_DOUBTS, tier="l2", reason="store_evicted") >= 1, 5, "L2 was doubted")
    others_on(deck, engine, 6, prompt_of, "evict-again")
    after = served(deck, prompt)
    assert after.predicted.get(Tier.L2, 0.0) == 0.0
    assert after.sources[Source.L2] == 0


@pytest.mark.usefixtures("direct")
def test_the_sources_of_each_engine_sum_to_its_prompt_tokens(deck: Deck) -> None:
    for engine in deck.state()["engines"]:
        own = deck.prompt_tokens(engine["url"])
        add_up = partial(_add_up, deck, engine["name"], own)
        wait_for(add_up, 10, f"the sources of {engine['name']} sum to {own}")


def _add_up(deck: Deck, engine: str, own: float) -> bool:
    return sum(waterfall(deck, engine).values()) == own


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
