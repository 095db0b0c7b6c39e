"""INFO becomes points; what it lacks is absent."""

import pytest

from exporters.collector import Point
from exporters.store_info import in_cluster, points
from stack.metrics import catalog
from stack.metrics.family import Label

OF_STORE = {Label.REPLICA: "redis"}
OF_TIER = {Label.REPLICA: "redis", Label.TIER: "l2"}


def test_a_primary_with_a_limit_tells_everything_but_a_replicas_link() -> None:
    info = {
        "used_memory": 5, "maxmemory": 10, "maxmemory_policy": "allkeys-lru", "evicted_keys": 1, "expired_keys": 2,
        "keyspace_hits": 3, "keyspace_misses": 4, "connected_clients": 6, "rejected_connections": 7, "uptime_in_seconds": 8,
        "role": "master", "connected_slaves": 9, "rdb_last_bgsave_status": "ok", "aof_enabled": 0, "aof_last_write_status": "err",
    }  # fmt: skip
    assert list(points("redis", info)) == [
        Point(catalog.CACHE_USED_BYTES, OF_TIER, 5.0),
        Point(catalog.CACHE_EVICTED_KEYS, OF_TIER, 1.0),
        Point(catalog.STORE_HITS, OF_STORE, 3.0),
        Point(catalog.STORE_MISSES, OF_STORE, 4.0),
        Point(catalog.STORE_EXPIRED_KEYS, OF_STORE, 2.0),
        Point(catalog.STORE_CLIENTS, OF_STORE, 6.0),
        Point(catalog.STORE_REJECTED_CONNECTIONS, OF_STORE, 7.0),
        Point(catalog.STORE_UPTIME, OF_STORE, 8.0),
        Point(catalog.CACHE_CAPACITY_BYTES, OF_TIER, 10.0),
        Point(catalog.CACHE_USED_RATIO, OF_TIER, 0.5),
        Point(catalog.STORE_POLICY, OF_STORE | {Label.POLICY: "allkeys-lru"}, 1.0),
        Point(catalog.STORE_REPLICAS, OF_STORE, 9.0),
        Point(catalog.STORE_PERSISTENCE_OK, OF_STORE, 1.0),
    ]


@pytest.mark.parametrize(
    ("info", "told"),
    [
        ({}, []),
        ({"used_memory": "no number", "uptime_in_seconds": "nan"}, []),
        ({"used_memory": 5, "maxmemory": 0}, [Point(catalog.CACHE_USED_BYTES, OF_TIER, 5.0)]),
        ({"maxmemory": 10}, [Point(catalog.CACHE_CAPACITY_BYTES, OF_TIER, 10.0)]),
        (
            {"role": "slave", "connected_slaves": 0, "master_link_status": "down"},
            [Point(catalog.STORE_REPLICA_LINK_UP, OF_STORE, 0.0)],
        ),
        ({"maxmemory_policy": "a-new-one"}, [Point(catalog.STORE_POLICY, OF_STORE | {Label.POLICY: "other"}, 1.0)]),
        ({"aof_enabled": 1, "aof_last_write_status": "err"}, [Point(catalog.STORE_PERSISTENCE_OK, OF_STORE, 0.0)]),
    ],
)
def test_what_info_lacks_is_absent(info: dict[str, object], told: list[Point]) -> None:
    assert list(points("redis", info)) == told


@pytest.mark.parametrize(("info", "answer"), [({"cluster_enabled": 1}, True), ({"cluster_enabled": 0}, False), ({}, None)])
def test_cluster_mode_is_known_or_unknown(info: dict[str, object], answer: bool | None) -> None:
    assert in_cluster(info) is answer
