"""/probe?target=&module=: one target, named by who asks, read by one collector.

Every answer is made of what the target says now, so any number of exporters may be asked in turn and agree.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import httpx
import msgspec

from exporters.collector import Collector, Context, Point, collectors
from exporters.scrape import Scraper
from stack.model.target import Target
from stack.model.tier import Pool

_MOST_NAME = 200
_MOST_KEPT = 1000
MOST_AT_ONCE = 200  # a page may be megabytes, and is held while it is read


class ProbeError(ValueError):
    """A question that is none: what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Question:
    """What to read and how. `replica` is what its series are called, the address unless told."""

    module: str
    url: str
    replica: str
    pool: Pool


def question(asked: Mapping[str, str], modules: frozenset[str]) -> Question:
    """The question in a query's parameters: target, module (engines), replica, pool (decode). Raises ProbeError."""
    module = asked.get("module") or "engines"
    if module not in modules:
        raise ProbeError(f"module is one of {', '.join(sorted(modules))}")
    url = _url(asked.get("target", ""))
    replica = asked.get("replica") or url.partition("://")[2]
    if len(replica) > _MOST_NAME:
        raise ProbeError(f"replica has more than {_MOST_NAME} characters")
    pool = asked.get("pool") or Pool.DECODE
    if pool not in set(Pool):
        raise ProbeError(f"pool is one of {', '.join(Pool)}")
    return Question(module, url, replica, Pool(pool))


def _url(target: str) -> str:
    """The target's base. Nothing but its own pages can be asked for: no path, no query, no password."""
    try:
        url = httpx.URL(target if "://" in target else f"http://{target}")
    except (httpx.InvalidURL, ValueError) as error:
        raise ProbeError("target is no address") from error
    if url.scheme not in {"http", "https"} or not url.host or url.userinfo or url.query or url.fragment:
        raise ProbeError("target is HOST:PORT, or http://HOST:PORT or https://HOST:PORT")
    if url.path not in {"", "/", "/metrics"}:
        raise ProbeError("target has no path but /metrics")
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


class BusyError(RuntimeError):
    """As many targets are being read as one exporter may read at once."""


class Probes:
    """Answers questions. `context` reaches targets over a client that checks where it connects to.

    Of the last targets asked for their collectors are kept, for what they ask once a process (a version, a model) and
    for counts that are derived from two others and must not step back.
    """

    def __init__(self, context: Context, timeout_seconds: float, version: str, most_at_once: int = MOST_AT_ONCE) -> None:
        self._context = context
        self._timeout_seconds = timeout_seconds
        self._version = version
        self._most_at_once = most_at_once
        self._under_way = 0
        self._kept: OrderedDict[Question, tuple[_Lone, Collector]] = OrderedDict()

    async def answer(self, asked: Question, patience_seconds: float = math.inf) -> list[Point]:
        """What the target says; whether it could be read is among it. Raises BusyError."""
        if self._under_way >= self._most_at_once:
            raise BusyError(f"{self._most_at_once} targets are being read")
        self._under_way += 1
        try:
            return await self._read(asked, patience_seconds)
        finally:
            self._under_way -= 1

    async def _read(self, asked: Question, patience_seconds: float) -> list[Point]:
        lone, collector = self._kept.pop(asked) if asked in self._kept else self._made(asked)
        self._kept[asked] = lone, collector
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        # A waterfall of its own each time: where tokens came from is told by the target's page alone.
        readers = {asked.module: collector}
        once = Scraper(readers, tuple, lone.now, self._timeout_seconds, self._version, self._context.clock)
        return await once.scrape(patience_seconds)

    def _made(self, asked: Question) -> tuple[_Lone, Collector]:
        lone = _Lone(asked)
        fleet = lone.now if asked.module == "engines" else tuple
        endpoints = {} if asked.module == "engines" else {asked.module: {asked.replica: asked.url}}
        context = replace(self._context, fleet=fleet, endpoints=endpoints, learn=lone.learn)
        return lone, collectors.create(asked.module, context=context)


class _Lone:
    """A fleet of the one engine that was asked for."""

    def __init__(self, asked: Question) -> None:
        self._engine = Target(replica=asked.replica, url=asked.url, pool=asked.pool, model="", model_root="")

    def now(self) -> Sequence[Target]:
        return [self._engine]

    def learn(self, replica: str, model: str, root: str) -> None:
        self._engine = msgspec.structs.replace(self._engine, model=model, model_root=root)
