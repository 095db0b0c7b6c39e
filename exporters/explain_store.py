"""How each figure of one store is known: `kvdeck exporter explain redis://HOST:PORT`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

import httpx
from redis.asyncio import Redis
from redis.exceptions import RedisError

from exporters.collector import Context, Point
from exporters.collectors.store import Store
from exporters.explain import Explanation, Row
from stack.adapters.exposition import ExpositionError
from stack.engines.quantities import State
from stack.metrics import catalog
from stack.metrics.family import Family, Label
from stack.model.tier import Tier

SCHEMES = ("redis://", "rediss://", "unix://")
_NAME = "store"
# What a store need not have, and why.
_NEEDS = {
    catalog.CACHE_CAPACITY_BYTES: "without maxmemory it has no limit",
    catalog.CACHE_USED_RATIO: "without maxmemory it has no limit",
    catalog.STORE_REPLICAS: "told by a primary",
    catalog.STORE_REPLICA_LINK_UP: "told by a replica",
    catalog.STORE_CLUSTER_OK: "told in cluster mode",
    catalog.STORE_KV_KEYS: "no KV among the keys that were looked at",
    catalog.STORE_KV_BYTES: "no KV among the keys that were looked at",
}
_FAMILIES = (
    catalog.CACHE_USED_BYTES, catalog.CACHE_CAPACITY_BYTES, catalog.CACHE_USED_RATIO, catalog.CACHE_EVICTED_KEYS,
    catalog.STORE_KEYS, catalog.STORE_HITS, catalog.STORE_MISSES, catalog.STORE_EXPIRED_KEYS, catalog.STORE_PING,
    catalog.STORE_CLIENTS, catalog.STORE_REJECTED_CONNECTIONS, catalog.STORE_UPTIME, catalog.STORE_POLICY,
    catalog.STORE_REPLICAS, catalog.STORE_REPLICA_LINK_UP, catalog.STORE_CLUSTER_OK, catalog.STORE_PERSISTENCE_OK,
    catalog.STORE_SAMPLED_KEYS, catalog.STORE_KV_KEYS, catalog.STORE_KV_BYTES,
)  # fmt: skip
_KNOWN = {(Label.REPLICA, _NAME), (Label.TIER, Tier.L2)}


async def explain_store(url: str, seconds: float) -> Explanation:
    """Read the store at `url` once. Raises ExpositionError, which does not say the URL: it may hold a password."""
    async with httpx.AsyncClient() as http:
        try:
            store, client = Store(Context(http, tuple, {_NAME: {_NAME: url}})), Redis.from_url(url)
        except ValueError as error:
            raise ExpositionError("no store's URL") from error
        try:
            async with asyncio.timeout(seconds):
                told = await client.info("server")
                points = (await store.read(_NAME)).points
        except (RedisError, OSError, TimeoutError) as error:
            raise ExpositionError(type(error).__name__) from error
        finally:
            await store.close()
            await client.aclose()
    product, version = ("Valkey", told["valkey_version"]) if "valkey_version" in told else ("Redis", told.get("redis_version"))
    return Explanation(product, version, [row for family in _FAMILIES for row in _rows(family, points)])


def _rows(family: Family, points: Sequence[Point]) -> Iterator[Row]:
    told = [point for point in points if point.family is family]
    for point in told:
        if isinstance(point.value, float):
            yield Row(_named(point), family.unit.value, State.PRESENT, point.value, None, None, None)
    if not told:
        state = State.NOT_APPLICABLE if family in _NEEDS else State.ABSENT
        reason = _NEEDS.get(family, "not in its INFO, or the command is refused")
        yield Row(family.name, family.unit.value, state, None, None, None, reason)


def _named(point: Point) -> str:
    more = [f"{label}={value}" for label, value in point.labels.items() if (label, value) not in _KNOWN]
    return " ".join([point.family.name, *more])
