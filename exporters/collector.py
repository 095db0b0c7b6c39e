"""What a collector is: it reads targets of one kind and says what it saw as points of catalogue families."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import httpx

from exporters.node import UNSEEN, Node
from stack.engines.lmcache import TierHits
from stack.engines.quantities import State
from stack.engines.samples import Histogram
from stack.engines.vllm import PromptTokens
from stack.metrics.family import Family, Label
from stack.model.target import Target
from stack.registry import Registry


@dataclass(frozen=True, slots=True)
class Point:
    """One series of one family in this scrape."""

    family: Family
    labels: Mapping[Label, str]
    value: float | Histogram


@dataclass(frozen=True, slots=True)
class EnginePrompt:
    """One engine's prompt tokens for the waterfall; `started` is its process' Unix time of start, if it says."""

    target: Target
    tokens: PromptTokens
    started: float | None


@dataclass(frozen=True, slots=True)
class Seen:
    """What one target said: its own points, how its quantities are known, and what the waterfall needs of it."""

    points: Sequence[Point] = ()
    quantities: Mapping[str, State] = field(default_factory=dict)
    prompt: EnginePrompt | None = None
    hits: Mapping[str, TierHits] | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What collectors are given. `fleet` is the engines listed now; `endpoints` are URLs by collector and target name.

    `learn` takes an engine's own word on its model: replica, served name, root. `turn` is held while a document is
    parsed, so that the pages are served in between. Of a store's keys some `store_sample` are looked at in a scrape, 0: none.
    `expected_l2` is the URL of the L2 that every LMCache should use.
    """

    http: httpx.AsyncClient
    fleet: Callable[[], Sequence[Target]]
    endpoints: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    clock: Callable[[], float] = time.monotonic
    learn: Callable[[str, str, str], None] = lambda replica, model, root: None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    store_sample: int = 200
    expected_l2: str | None = None
    node: Node = UNSEEN


class Collector(Protocol):
    """Reads its targets, each alone and under a deadline it is not told.

    `stage` orders collectors in one scrape: those of a stage run together, after those of the stages before.
    """

    @property
    def stage(self) -> int: ...

    def targets(self) -> Sequence[str]:
        """Names of what there is to read in this scrape."""
        ...

    async def read(self, target: str) -> Seen:
        """Read one target. May raise anything: the guard takes it for this target's failure."""
        ...

    def unread(self, target: str) -> Sequence[Point]:
        """What holds of a target although it could not be read."""
        ...

    def forget(self, target: str) -> None:
        """The target is not listed any more, or is another exporter's: drop what is remembered of it."""
        ...

    async def close(self) -> None:
        """Give up connections of its own."""
        ...


collectors: Registry[Collector] = Registry("collector")


def on_this_node(collector: Collector) -> bool:
    """Whether it reads the machine it runs on, which no other exporter does: its class says `on_this_node = True`."""
    return getattr(collector, "on_this_node", False)


def reads_urls(name: str) -> bool:
    """Whether a collector can be asked for one URL (/probe): its class says `reads_urls = True`."""
    return getattr(collectors.factory(name), "reads_urls", False)


def runs_by_default(name: str) -> bool:
    """Whether a collector runs unless it is switched off: not if its class says `opt_in = True`."""
    return not getattr(collectors.factory(name), "opt_in", False)
