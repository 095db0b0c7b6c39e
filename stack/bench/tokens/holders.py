"""Engines that say by KV events that they hold a prompt, until a router knows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Self

import httpx
import zmq

from stack.bench.router.process import ProcessError
from stack.bench.router.stand import free_ports
from stack.cache.blocks import ROOT, block_hashes
from stack.emulator.events import Journal
from stack.emulator.publisher import KvPublisher
from stack.metrics import catalog

BLOCK_TOKENS = 16
_READY_SECONDS = 30.0
_AGAIN_SECONDS = 0.5


@dataclass(slots=True)
class Holders:
    """As many publishers as there are engines; leaving the block closes them."""

    engines: Sequence[str]
    _publishers: list[KvPublisher] = field(default_factory=list)
    _known: set[int] = field(default_factory=set)
    _ends: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        context = self._ends.enter_context(zmq.Context())
        for engine, port in zip(self.engines, free_ports(len(self.engines)), strict=True):
            publisher = KvPublisher(context, engine, f"tcp://127.0.0.1:{port}", None)
            self._ends.callback(publisher.close)
            self._publishers.append(publisher)
        return self

    def __exit__(self, *error: object) -> None:
        self._ends.close()

    @property
    def endpoints(self) -> list[str]:
        """Where each engine publishes."""
        return [publisher.endpoint for publisher in self._publishers]

    def hold(self, tokens: Sequence[int], router: str, sleep: Callable[[float], None] = time.sleep) -> None:
        """Every engine holds the prompt; returns when the router at the URL `router` knows. Raises ProcessError."""
        whole = tokens[: len(tokens) // BLOCK_TOKENS * BLOCK_TOKENS]
        names = block_hashes(ROOT, whole, BLOCK_TOKENS)
        self._known |= set(names)
        patience = time.monotonic() + _READY_SECONDS
        while _blocks(router) < len(self._known) * len(self.engines):
            if time.monotonic() > patience:
                raise ProcessError("the router does not hear the engines' KV events")
            self._say(names, whole)
            sleep(_AGAIN_SECONDS)

    def _say(self, names: Sequence[int], tokens: Sequence[int]) -> None:
        journal = Journal(BLOCK_TOKENS, lambda: None)
        journal.stored(names, None, tokens, None)
        if (batch := journal.take(time.time())) is not None:
            for publisher in self._publishers:
                publisher.publish(batch)


def _blocks(router: str) -> float:
    """Blocks that the router knows of, over all engines."""
    lines = httpx.get(f"{router}/metrics", trust_env=False, timeout=5.0).text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(catalog.ROUTER_INDEX_BLOCKS.name))
