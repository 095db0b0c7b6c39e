"""LMCache servers and LMCache inside engines: look-ups and loads by model, and what L1 holds."""

from collections.abc import Sequence

import pytest

from exporters.collector import Context, Point, Seen
from exporters.collectors.lmcache import LMCache
from stack.adapters.exposition import ExpositionError
from stack.engines.quantities import State
from stack.metrics.catalog import (
    CACHE_CAPACITY_BYTES,
    CACHE_HIT_TOKENS,
    CACHE_LOADED_TOKENS,
    CACHE_LOOKUP_TOKENS,
    CACHE_SERVER_INFO,
)
from stack.metrics.family import Family, Label
from stack.model.target import Target
from tests.exporters.recorded import Hosts, exposition, target, text

RECORDED = exposition("lmcache-0.5.6-mp-server")


async def read(hosts: Hosts, fleet: Sequence[Target] = (), times: int = 1) -> Seen:
    async with hosts.client() as client:
        collector = LMCache(Context(client, lambda: fleet, {"lmcache": {"l": "http://l"}}))
        for _ in range(times):
            seen = await collector.read("l")
    return seen


def series(seen: Seen, family: Family) -> dict[tuple[str | None, str], object]:
    points = [point for point in seen.points if point.family is family]
    return {(point.labels.get(Label.MODEL_NAME), point.labels[Label.TIER]): point.value for point in points}


async def test_a_models_path_becomes_its_served_name() -> None:
    hosts = Hosts()
    hosts.lmcache("l", RECORDED)
    seen = await read(hosts, [target("decode-0")])
    assert series(seen, CACHE_LOOKUP_TOKENS) == {("smollm2", "l1"): 28928.0, ("smollm2", "l2"): 24064.0}
    assert series(seen, CACHE_HIT_TOKENS) == {("smollm2", "l1"): 4864.0, ("smollm2", "l2"): 3072.0}
    assert series(seen, CACHE_CAPACITY_BYTES) == {("smollm2", "l1"): 536870912.0}


async def test_a_model_of_no_listed_engine_keeps_its_path_and_a_shared_l1_has_no_model() -> None:
    hosts = Hosts()
    hosts.lmcache("l", RECORDED)
    seen = await read(hosts, [target("a", model="x", model_root="/x"), target("b", model="y", model_root="/y")])
    assert series(seen, CACHE_LOOKUP_TOKENS) == {("/models/smollm2", "l1"): 28928.0, ("/models/smollm2", "l2"): 24064.0}
    assert series(seen, CACHE_CAPACITY_BYTES) == {(None, "l1"): 536870912.0}


async def test_without_an_l2_there_are_no_l2_series() -> None:
    hosts = Hosts()
    hosts.lmcache("l", RECORDED.replace(b'state="active"} 1.0', b'state="active"} 0.0'))
    assert series(await read(hosts), CACHE_HIT_TOKENS) == {("/models/smollm2", "l1"): 4864.0}


async def test_the_size_of_l1_is_asked_once_a_process_and_is_absent_while_unsaid() -> None:
    hosts = Hosts()
    hosts.lmcache("l", RECORDED)
    await read(hosts, times=3)
    assert hosts.asked.count("http://l/status") == 1
    hosts.answers["http://l/status"] = text(b"busy")
    assert series(await read(hosts), CACHE_CAPACITY_BYTES) == {}


async def test_an_idle_server_has_no_hits_yet() -> None:
    hosts = Hosts()
    hosts.lmcache("l", b"process_start_time_seconds 1\n")
    seen = await read(hosts)
    assert seen.hits == {}
    assert series(seen, CACHE_LOOKUP_TOKENS) == {}


async def test_lmcache_inside_an_engine_is_read_by_its_own_server_and_its_hits_have_no_tier() -> None:
    hosts = Hosts()
    names = {"num_lookup_tokens": 512, "num_lookup_hits": 256, "num_hit_tokens": 0}
    lines = [f'lmcache:{name}_total{{model_name="/models/smollm2"}} {value}\n' for name, value in names.items()]
    hosts.lmcache("l", "".join(lines).encode())
    seen = await read(hosts, [target("decode-0")])
    assert [point for point in seen.points if point.family is CACHE_SERVER_INFO] == [
        Point(CACHE_SERVER_INFO, {Label.REPLICA: "l", Label.MODE: "in_process"}, 1.0)
    ]
    assert series(seen, CACHE_LOOKUP_TOKENS) == {("smollm2", "lmcache"): 512.0}
    assert series(seen, CACHE_HIT_TOKENS) == {("smollm2", "lmcache"): 256.0}
    assert series(seen, CACHE_LOADED_TOKENS) == {("smollm2", "lmcache"): 0.0}
    assert seen.hits == {}
    assert hosts.asked == ["http://l/metrics"]


async def test_what_is_no_lmcache_is_refused_and_one_that_is_silent_says_so() -> None:
    hosts = Hosts()
    hosts.lmcache("l", b"python_info 1\n")
    with pytest.raises(ExpositionError, match="no LMCache series"):
        await read(hosts)
    hosts.lmcache("l", b"process_start_time_seconds 1\n")
    assert Point(CACHE_SERVER_INFO, {Label.REPLICA: "l", Label.MODE: "silent"}, 1.0) in (await read(hosts)).points


async def test_a_counter_that_falls_without_a_restart_was_reset() -> None:
    hosts = Hosts()
    hosts.lmcache("l", RECORDED)
    async with hosts.client() as client:
        collector = LMCache(Context(client, tuple, {"lmcache": {"l": "http://l"}}))
        before = (await collector.read("l")).quantities
        hosts.lmcache("l", RECORDED.replace(b" 59.0\n", b" 2.0\n"))
        after = (await collector.read("l")).quantities
    assert {name: state for name, state in after.items() if before[name] is not state} == {"lmcache_l1_evicted_chunks": State.RESET}


async def test_models_beyond_the_bound_are_told_together() -> None:
    hosts = Hosts()
    lines = [
        f'lmcache_mp_lookup_{kind}_tokens_total{{model_name="/m{each}"}} 10\n'
        for each in range(1002)
        for kind in ("requested", "hit_l1")
    ]
    hosts.lmcache("l", "".join(lines).encode())
    seen = await read(hosts)
    told = series(seen, CACHE_HIT_TOKENS)
    assert (len(told), told["/m999", "l1"], told["other", "l1"]) == (1001, 10.0, 20.0)


async def test_a_server_that_was_forgotten_begins_anew() -> None:
    hosts = Hosts()
    hosts.lmcache("l", RECORDED)
    async with hosts.client() as client:
        collector = LMCache(Context(client, tuple, {"lmcache": {"l": "http://l"}}))
        before = (await collector.read("l")).quantities
        collector.forget("l")
        hosts.lmcache("l", RECORDED.replace(b" 59.0\n", b" 2.0\n"))
        assert (await collector.read("l")).quantities == before


async def test_the_adapters_of_a_server_that_was_forgotten_make_room_for_others() -> None:
    hosts = Hosts()
    names = [f'lmcache_mp_l2_store_completed_requests_total{{l2_name="a{each}"}} 1\n' for each in range(1000)]
    hosts.lmcache("l", "".join(names).encode())
    hosts.lmcache("m", b'lmcache_mp_l2_store_completed_requests_total{l2_name="new"} 1\n')
    async with hosts.client() as client:
        collector = LMCache(Context(client, tuple, {"lmcache": {"l": "http://l", "m": "http://m"}}))
        await collector.read("l")
        collector.forget("l")
        seen = await collector.read("m")
    assert [point.labels[Label.ADAPTER] for point in seen.points if Label.ADAPTER in point.labels] == ["new"]
