import pytest

from stack.adapters.store_counters import StoreCounters, StoreSilentError, read, store_at

INFO = {
    "run_id": "r1",
    "evicted_keys": 3,
    "expired_keys": 1,
    "cmdstat_flushall": {"calls": 2, "usec": 9},
    "cmdstat_get": {"calls": 900, "usec": 9},
    "db0": {"keys": 7, "expires": 0},
    "db3": {"keys": 2, "expires": 0},
}


def test_losses_are_what_the_store_dropped_by_itself() -> None:
    assert read(INFO) == StoreCounters(losses=("r1", 3, 1, 2), keys=9)
    assert read(INFO | {"cmdstat_flushdb": {"calls": 1}}).losses == ("r1", 3, 1, 3)
    assert read({"run_id": "r2", "evicted_keys": 0, "expired_keys": 0}) == StoreCounters(("r2", 0, 0, 0), 0)


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1", "http://127.0.0.1:1/store"])
async def test_a_store_that_nobody_serves_is_silent(url: str) -> None:
    store = store_at(url)
    with pytest.raises(StoreSilentError):
        await store.counters()
    await store.close()
