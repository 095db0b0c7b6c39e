"""What a store's INFO tells, as points. The names are those of Redis 6 and 7 and Valkey 7 to 9, which agree on all read here.

A field that INFO lacks (a managed store may leave some out) is absent from the points, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from exporters.collector import Point
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.model.tier import Tier

_OF_TIER = ((catalog.CACHE_USED_BYTES, "used_memory"), (catalog.CACHE_EVICTED_KEYS, "evicted_keys"))
_OF_STORE = (
    (catalog.STORE_HITS, "keyspace_hits"),
    (catalog.STORE_MISSES, "keyspace_misses"),
    (catalog.STORE_EXPIRED_KEYS, "expired_keys"),
    (catalog.STORE_CLIENTS, "connected_clients"),
    (catalog.STORE_REJECTED_CONNECTIONS, "rejected_connections"),
    (catalog.STORE_UPTIME, "uptime_in_seconds"),
)
_POLICIES = frozenset({
    "noeviction", "allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl",
})  # fmt: skip


def points(store: str, info: Mapping[str, Any]) -> Iterator[Point]:
    """Points of the store named `store`. Without a `maxmemory` it has no capacity, and so no used share."""
    labels = {Label.REPLICA: store}
    tier = {**labels, Label.TIER: Tier.L2}
    for where, fields in ((tier, _OF_TIER), (labels, _OF_STORE)):
        for family, name in fields:
            if (value := _number(info, name)) is not None:
                yield Point(family, where, value)
    used, limit = _number(info, "used_memory"), _number(info, "maxmemory")
    if limit:
        yield Point(catalog.CACHE_CAPACITY_BYTES, tier, limit)
        if used is not None:
            yield Point(catalog.CACHE_USED_RATIO, tier, used / limit)
    if "maxmemory_policy" in info:
        policy = str(info["maxmemory_policy"])
        yield Point(catalog.STORE_POLICY, {**labels, Label.POLICY: policy if policy in _POLICIES else "other"}, 1.0)
    yield from _replication(labels, info)
    if (kept := _persists(info)) is not None:
        yield Point(catalog.STORE_PERSISTENCE_OK, labels, float(kept))


def keys(store: str, count: int) -> Point:
    """How many keys the store holds: DBSIZE, since INFO's keyspace is silent on databases that are empty."""
    return Point(catalog.STORE_KEYS, {Label.REPLICA: store}, float(count))


def in_cluster(info: Mapping[str, Any]) -> bool | None:
    """Whether the store is a node of a cluster; None when INFO does not tell."""
    enabled = _number(info, "cluster_enabled")
    return None if enabled is None else enabled == 1


def _replication(labels: Mapping[Label, str], info: Mapping[str, Any]) -> Iterator[Point]:
    """A primary tells its replicas, a replica its link: neither has a value for the other's."""
    replicas = _number(info, "connected_slaves")
    if info.get("role") == "master" and replicas is not None:
        yield Point(catalog.STORE_REPLICAS, labels, replicas)
    if info.get("role") == "slave" and "master_link_status" in info:
        yield Point(catalog.STORE_REPLICA_LINK_UP, labels, float(info["master_link_status"] == "up"))


def _persists(info: Mapping[str, Any]) -> bool | None:
    """Whether the last attempts to persist went well. The append-only file's count only where it is on."""
    told = ["rdb_last_bgsave_status", *(["aof_last_write_status"] if _number(info, "aof_enabled") == 1 else [])]
    found = [info[name] == "ok" for name in told if name in info]
    return all(found) if found else None


def _number(info: Mapping[str, Any], name: str) -> float | None:
    try:
        value = float(info[name])
    except (KeyError, TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None
