"""LMCache servers: L1 and L2 look-ups by model, and what L1 holds and evicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import httpx

from exporters.bound import Bound
from exporters.collector import Context, Point, Seen, collectors
from exporters.ratchet import Ratchet
from exporters.served import served_names
from stack.adapters.exposition import ExpositionError, fetch, fetch_json
from stack.engines.lmcache import WANTED, ServerReading, TierHits, l1_capacity_bytes, read
from stack.metrics import catalog
from stack.metrics.family import Family, Label
from stack.model.tier import Tier


@collectors.register("lmcache")
class LMCache:
    """Reads LMCache's servers, after the engines: so the look-ups behind every load an engine counted are seen."""

    stage = 1

    def __init__(self, context: Context) -> None:
        self._context = context
        self._urls = context.endpoints.get("lmcache", {})
        self._capacities: dict[str, tuple[float | None, float]] = {}  # by server: the process it was asked of, and its answer
        self._bound = Bound()
        self._l2_asked: dict[tuple[str, str], Ratchet] = {}

    def targets(self) -> Sequence[str]:
        return list(self._urls)

    async def read(self, target: str) -> Seen:
        reading = read(await fetch(self._context.http, f"{self._urls[target]}/metrics", WANTED, turn=self._context.turn))
        served = served_names(self._context.fleet())
        found = [*self._lookups(target, reading, served), *l1_points(target, reading, served)]
        capacity = await self._capacity(target, reading.started)
        if capacity is not None:
            found.append(Point(catalog.CACHE_CAPACITY_BYTES, _server_labels(target, served), capacity))
        return Seen(found, hits=reading.hits)

    def unread(self, target: str) -> Sequence[Point]:
        return ()

    def forget(self, target: str) -> None:
        self._capacities.pop(target, None)
        self._bound.forget(target)
        self._l2_asked = {key: ratchet for key, ratchet in self._l2_asked.items() if key[0] != target}

    async def close(self) -> None:
        """Nothing of its own is open."""

    def _lookups(self, server: str, reading: ServerReading, served: Mapping[str, str]) -> Iterator[Point]:
        for root, hits in bounded(reading.hits, partial(self._bound, server)).items():
            labels = {Label.MODEL_NAME: served.get(root, root), Label.REPLICA: server}
            point = partial(_tier_point, labels)
            yield point(catalog.CACHE_LOOKUP_TOKENS, Tier.L1, hits.requested)
            if hits.l1 is not None:
                yield point(catalog.CACHE_HIT_TOKENS, Tier.L1, hits.l1)
            if hits.l1 is not None and hits.l2 is not None and reading.has_l2:
                yield point(catalog.CACHE_LOOKUP_TOKENS, Tier.L2, self._asked_of_l2(server, root, hits, hits.l1))
                yield point(catalog.CACHE_HIT_TOKENS, Tier.L2, hits.l2)

    def _asked_of_l2(self, server: str, root: str, hits: TierHits, l1: float) -> float:
        # The server may count a look-up between its two figures; a counter that steps back would look restarted.
        ratchet = self._l2_asked.setdefault((server, root), Ratchet())
        return ratchet.at_least(hits.requested - l1, epoch=hits.requested)

    async def _capacity(self, server: str, started: float | None) -> float | None:
        """L1's size, asked once a process: it is a start-up flag. None while the server does not say."""
        known = self._capacities.get(server)
        if known and known[0] == started:
            return known[1]
        try:
            capacity = l1_capacity_bytes(await fetch_json(self._context.http, f"{self._urls[server]}/status"))
        except (httpx.HTTPError, ExpositionError):  # its metrics are good without it; it is asked again in the next scrape
            return None
        if capacity is not None:
            self._capacities[server] = (started, capacity)
        return capacity


def bounded(hits: Mapping[str, TierHits], bound: Callable[[str], str]) -> dict[str, TierHits]:
    """Look-ups by model root, those beyond the bound together: who sends requests to a server names the models."""
    found: dict[str, TierHits] = {}
    for root, one in hits.items():
        name = bound(root)
        found[name] = one if name not in found else _sum(found[name], one)
    return found


def _sum(one: TierHits, more: TierHits) -> TierHits:
    l1 = None if one.l1 is None or more.l1 is None else one.l1 + more.l1
    l2 = None if one.l2 is None or more.l2 is None else one.l2 + more.l2
    return TierHits(one.requested + more.requested, l1, l2)


def l1_points(server: str, reading: ServerReading, served: Mapping[str, str]) -> Iterator[Point]:
    """What L1 holds and evicted; the model's name only where all engines serve one, for L1 is shared."""
    labels = _server_labels(server, served)
    if reading.l1_used_bytes is not None:
        yield Point(catalog.CACHE_USED_BYTES, labels, reading.l1_used_bytes)
    if reading.l1_used_ratio is not None:
        yield Point(catalog.CACHE_USED_RATIO, labels, reading.l1_used_ratio)
    if reading.l1_evicted_chunks is not None:
        yield Point(catalog.CACHE_EVICTED_CHUNKS, labels, reading.l1_evicted_chunks)


def _server_labels(server: str, served: Mapping[str, str]) -> dict[Label, str]:
    models = set(served.values())
    model = {Label.MODEL_NAME: models.pop()} if len(models) == 1 else {}
    return {**model, Label.REPLICA: server, Label.TIER: Tier.L1}


def _tier_point(labels: Mapping[Label, str], family: Family, tier: Tier, value: float) -> Point:
    return Point(family, {**labels, Label.TIER: tier}, value)
