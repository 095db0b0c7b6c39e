"""A steady load through the router, with what every answer said kept for the verdict."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

from tests.e2e.deck import MODEL, Deck

WORDS = ("cache", "block", "prefix", "engine", "tier", "token", "store", "chunk", "router", "replica", "pool", "batch", "layer")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One request: when it was sent, what came of it, and what the answer says of itself."""

    at: float
    error: str | None
    path: str | None = None
    generation: str | None = None
    strategy: str | None = None
    fallback: str | None = None


@dataclass(slots=True)
class Load:
    """Everything that was sent, in order of ending."""

    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def failures(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.error is not None]

    def values(self, name: str) -> set[str]:
        """Every value one field of the answers took."""
        return {value for outcome in self.outcomes if (value := getattr(outcome, name)) is not None}


def words(count: int, seed: int) -> str:
    """`count` words, about one token each."""
    chance = random.Random(seed)
    return " ".join(chance.choice(WORDS) for _ in range(count))


@contextmanager
def steady(deck: Deck, rate: float = 2.0, long_every_seconds: float = 10.0) -> Iterator[Load]:
    """`rate` requests/s of 100 tokens in and 8 out, and one 700-token prompt every `long_every_seconds`."""
    load, stop = Load(), threading.Event()
    with ThreadPoolExecutor(64) as senders:
        clock = threading.Thread(target=_tick, args=(deck, load, stop, senders, rate, long_every_seconds))
        clock.start()
        try:
            yield load
        finally:
            stop.set()
            clock.join()


def _tick(deck: Deck, load: Load, stop: threading.Event, senders: ThreadPoolExecutor, rate: float, long_every: float) -> None:
    started, sent, long_sent = time.monotonic(), 0, 0
    while not stop.wait(max(0.0, started + sent / rate - time.monotonic())):
        senders.submit(_send, deck, load, words(100, sent), sent % 2 == 0)
        sent += 1
        if (time.monotonic() - started) // long_every >= long_sent:
            senders.submit(_send, deck, load, words(700, 1_000_000 + sent), True)
            long_sent += 1


def _send(deck: Deck, load: Load, prompt: str, stream: bool) -> None:
    load.outcomes.append(_outcome(deck, prompt, stream))


def _outcome(deck: Deck, prompt: str, stream: bool) -> Outcome:
    at = time.monotonic()
    body = {"model": MODEL, "prompt": prompt, "max_tokens": 8, "temperature": 0, "stream": stream}
    try:
        with httpx.stream(
            "POST", deck.url(deck.ports.router) + "/v1/completions", json=body, timeout=120, trust_env=False
        ) as answer:
            text = answer.read().decode()
    except httpx.HTTPError as error:
        return Outcome(at, f"{type(error).__name__}: {error}")
    whole = "data: [DONE]" in text if stream else '"choices"' in text
    fault = None if answer.status_code == 200 and whole and '"error"' not in text else f"{answer.status_code}: {text[:300]}"
    names = ("path", "generation", "strategy", "fallback")
    return Outcome(at, fault, *(answer.headers.get(f"x-kvdeck-{name}") for name in names))
