"""The shared store (Redis or Valkey): what it holds, may hold and evicted, by its own count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from exporters.collector import Context, Point, Seen, collectors
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.model.tier import Tier


@collectors.register("store")
class Store:
    """Asks each store for INFO; a store is one target, however many engines share it."""

    stage = 0

    def __init__(self, context: Context) -> None:
        urls = context.endpoints.get("store", {})
        # No retries: the next scrape is one. The guard's deadline bounds the call.
        self._stores = {name: Redis.from_url(url, retry=Retry(NoBackoff(), 0), max_connections=1) for name, url in urls.items()}

    def targets(self) -> Sequence[str]:
        return list(self._stores)

    async def read(self, target: str) -> Seen:
        info = await self._stores[target].info()
        return Seen(points(target, info))

    def unread(self, target: str) -> Sequence[Point]:
        return ()

    async def close(self) -> None:
        for store in self._stores.values():
            await store.aclose()


def points(store: str, info: Mapping[str, Any]) -> list[Point]:
    """What INFO says; without a `maxmemory` the store has no capacity, and so no used share."""
    labels = {Label.REPLICA: store, Label.TIER: Tier.L2}
    used, limit = float(info["used_memory"]), float(info.get("maxmemory", 0))
    found = [
        Point(catalog.CACHE_USED_BYTES, labels, used),
        Point(catalog.CACHE_EVICTED_KEYS, labels, float(info["evicted_keys"])),
    ]
    if limit > 0:
        found.append(Point(catalog.CACHE_CAPACITY_BYTES, labels, limit))
        found.append(Point(catalog.CACHE_USED_RATIO, labels, used / limit))
    return found
