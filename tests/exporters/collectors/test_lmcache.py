"""LMCache servers: look-ups by model, and what L1 holds."""

from collections.abc import Sequence
from functools import partial

from exporters.bound import Bound
from exporters.collector import Context, Seen
from exporters.collectors.lmcache import LMCache, bounded
from stack.engines.lmcache import TierHits
from stack.metrics.catalog import CACHE_CAPACITY_BYTES, CACHE_HIT_TOKENS, CACHE_LOOKUP_TOKENS
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


def test_models_beyond_the_bound_are_told_together() -> None:
    hits = {f"m{number}": TierHits(10.0, 4.0, None if number == 3 else 1.0) for number in range(4)}
    assert bounded(hits, partial(Bound(2), "lmcache")) == {
        "m0": TierHits(10.0, 4.0, 1.0), "m1": TierHits(10.0, 4.0, 1.0), "other": TierHits(20.0, 8.0, None),
    }  # fmt: skip
