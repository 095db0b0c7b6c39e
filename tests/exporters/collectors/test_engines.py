from pathlib import Path

import httpx
import pytest

from exporters.collector import Context, Point
from exporters.collectors.engines import BUCKETS, STAY_BUCKETS, Engines
from exporters.fleet import Fleet
from stack.adapters.exposition import ExpositionError
from stack.engines import lmcache_quantities as lq
from stack.engines.samples import Histogram
from stack.metrics import catalog
from stack.metrics.family import Family, Label
from stack.model.tier import Pool, Source
from tests.exporters import synthetic, synthetic_lmcache
from tests.exporters.recorded import Hosts, exposition, json, target, text

OWN = {Label.MODEL_NAME: "smollm2", Label.POOL: "decode", Label.REPLICA: "decode-0"}


async def read(hosts: Hosts, collector: Engines | None = None) -> list[Point]:
    async with hosts.client() as client:
        engines = collector or Engines(Context(client, lambda: [target("decode-0")]))
        return list((await engines.read("decode-0")).points)


def of(points: list[Point], family: Family) -> list[Point]:
    return [point for point in points if point.family is family]


def most_series(point: Point) -> int:
    """Of a point, also of a histogram that has more buckets than the synthetic ones."""
    if not isinstance(point.value, Histogram):
        return 1
    return (STAY_BUCKETS if point.family is catalog.CACHE_RESIDENCY else BUCKETS) + len(("sum", "count"))


async def test_an_engine_without_a_connector_has_no_transfer_series() -> None:
    hosts = Hosts()
    hosts.engine("decode-0", exposition("vllm-0.32-plain"))
    points = await read(hosts)
    assert of(points, catalog.KV_TRANSFER_BYTES) == of(points, catalog.KV_TRANSFER_FAILURES) == []
    assert of(points, catalog.ENGINE_REQUESTS) == [
        Point(catalog.ENGINE_REQUESTS, OWN | {Label.STATE: "running"}, 0.0),
        Point(catalog.ENGINE_REQUESTS, OWN | {Label.STATE: "waiting"}, 0.0),
    ]


async def test_the_version_is_asked_once_a_process() -> None:
    hosts = Hosts()
    hosts.engine("decode-0", b"process_start_time_seconds 1\nvllm:prompt_tokens_total 1\n")
    async with hosts.client() as client:
        engines = Engines(Context(client, lambda: [target("decode-0")]))
        for _ in range(2):
            await engines.read("decode-0")
        hosts.engine("decode-0", b"process_start_time_seconds 2\nvllm:prompt_tokens_total 1\n", version="0.33.0")
        seen = await engines.read("decode-0")
    assert hosts.asked.count("http://decode-0/version") == 2
    assert of(list(seen.points), catalog.TARGET_INFO) == [
        Point(catalog.TARGET_INFO, OWN | {Label.EMULATED: "false", Label.VERSION: "0.33.0"}, 1.0)
    ]


@pytest.mark.parametrize("document", [b"[]", b'{"version": 3}', b"<html>"])
async def test_an_engine_that_does_not_tell_its_version_is_read_all_the_same(document: bytes) -> None:
    hosts = Hosts()
    hosts.engine("decode-0", b"vllm:prompt_tokens_total 1\n")
    hosts.answers["http://decode-0/version"] = text(document)
    assert of(await read(hosts), catalog.TARGET_INFO) == [Point(catalog.TARGET_INFO, OWN | {Label.EMULATED: "false"}, 1.0)]


async def test_a_server_that_is_no_vllm_is_refused() -> None:
    hosts = Hosts({"http://decode-0/metrics": text(b"process_start_time_seconds 1\n")})
    with pytest.raises(ExpositionError, match="no vLLM series"):
        await read(hosts)


async def test_another_product_at_an_engines_address_is_not_taken_for_it() -> None:
    hosts = Hosts()
    hosts.engine("decode-0", exposition("production-stack-router-a6c01db"))
    with pytest.raises(ExpositionError, match="a router's series"):
        await read(hosts)
    hosts.engine("decode-0", b"".join(b'vllm:num_requests_running{model_name="%s"} 1\n' % name for name in (b"a", b"b")))
    with pytest.raises(ExpositionError, match="series of 2 models"):
        await read(hosts)


async def test_an_engine_that_cannot_be_read_is_still_listed() -> None:
    engines = Engines(Context(httpx.AsyncClient(), lambda: [target("p", Pool.PREFILL)]))
    labels = {Label.MODEL_NAME: "smollm2", Label.POOL: "prefill", Label.REPLICA: "p", Label.EMULATED: "false"}
    assert engines.unread("p") == [Point(catalog.TARGET_INFO, labels, 1.0)]


async def test_an_engine_that_tells_everything_has_120_series_at_the_most() -> None:
    hosts = Hosts()
    hosts.engine("decode-0", synthetic.exposition((0, 32, 0)) + synthetic_lmcache.exposition(lq.IN_PROCESS, (0, 5, 6)))
    own = sum(most_series(point) for point in await read(hosts))
    of_others = 6 + 3  # the waterfall's sources, and what is said of reading it
    assert own + of_others <= 120


async def test_lmcache_inside_an_engine_is_told_as_the_engine_s() -> None:
    hosts = Hosts()
    inside = synthetic_lmcache.exposition(lq.IN_PROCESS, (0, 5, 6))
    hosts.engine("decode-0", b"vllm:prompt_tokens_total 1\n" + inside)
    points = await read(hosts)
    assert Point(catalog.CACHE_SERVER_INFO, {Label.REPLICA: "decode-0", Label.MODE: "in_process"}, 1.0) in points
    asked, found, loaded = (
        synthetic_lmcache.amount(lq.IN_PROCESS, quantity) for quantity in (lq.INSIDE_LOOKED_UP, lq.INSIDE_FOUND, lq.INSIDE_LOADED)
    )
    both = OWN | {Label.TIER: "lmcache"}
    assert of(points, catalog.CACHE_LOOKUP_TOKENS) == [Point(catalog.CACHE_LOOKUP_TOKENS, both, asked)]
    assert of(points, catalog.CACHE_HIT_TOKENS) == [Point(catalog.CACHE_HIT_TOKENS, both, found)]
    assert of(points, catalog.CACHE_LOADED_TOKENS) == [Point(catalog.CACHE_LOADED_TOKENS, both, loaded)]
    assert of(points, catalog.CACHE_EVICTED_CHUNKS)[0].labels == OWN | {Label.TIER: "l1"}


async def test_an_engine_without_lmcache_inside_says_nothing_of_it() -> None:
    hosts = Hosts()
    hosts.engine("decode-0", exposition("vllm-0.32-nixl-lmcache-decode"))
    async with hosts.client() as client:
        seen = await Engines(Context(client, lambda: [target("decode-0")])).read("decode-0")
    assert of(list(seen.points), catalog.CACHE_SERVER_INFO) == []
    assert [name for name in seen.quantities if name.startswith("lmcache")] == []


async def test_an_engine_of_which_no_model_is_listed_says_it_itself() -> None:
    hosts = Hosts()
    hosts.engine("e", b"vllm:prompt_tokens_total 1\n")
    hosts.answers["http://e/v1/models"] = json(b'{"data": [{"id": "llama", "root": "/models/llama"}]}')
    fleet = Fleet([], {"e": "http://e"})
    async with hosts.client() as client:
        engines = Engines(Context(client, fleet.now, learn=fleet.learn))
        for _ in range(2):
            seen = await engines.read("e")
    assert hosts.asked.count("http://e/v1/models") == 1
    assert seen.prompt is not None
    assert (seen.prompt.target.model, seen.prompt.target.model_root) == ("llama", "/models/llama")


async def test_an_engine_that_restarts_with_another_model_is_asked_anew() -> None:
    hosts = Hosts()
    fleet = Fleet([], {"e": "http://e"})
    models = []
    async with hosts.client() as client:
        engines = Engines(Context(client, fleet.now, learn=fleet.learn))
        for process, model in enumerate(("llama", "qwen")):
            hosts.engine("e", b"process_start_time_seconds %d\nvllm:prompt_tokens_total 1\n" % process)
            hosts.answers["http://e/v1/models"] = json(b'{"data": [{"id": "%s"}]}' % model.encode())
            seen = await engines.read("e")
            models.append(seen.prompt and seen.prompt.target.model)
    assert models == ["llama", "qwen"]


@pytest.mark.parametrize("between", ["fails", "counts anew"])
async def test_an_engine_that_does_not_say_when_it_began_is_asked_anew_after_what_may_be_a_restart(between: str) -> None:
    hosts = Hosts()
    fleet = Fleet([], {"e": "http://e"})
    told = []
    async with hosts.client() as client:
        engines = Engines(Context(client, fleet.now, learn=fleet.learn))
        for model, tokens in (("llama", 9), ("qwen", 3), ("qwen", 3)):
            hosts.engine("e", b"vllm:prompt_tokens_total %d\n" % tokens, version="0.32.0" if model == "llama" else "0.33.0")
            hosts.answers["http://e/v1/models"] = json(b'{"data": [{"id": "%s"}]}' % model.encode())
            if model != "llama" and between == "fails":
                engines.unread("e")
            told.append(of(list((await engines.read("e")).points), catalog.TARGET_INFO)[0].labels)
    assert (told[0][Label.MODEL_NAME], told[0][Label.VERSION]) == ("llama", "0.32.0")
    assert (told[2][Label.MODEL_NAME], told[2][Label.VERSION]) == ("qwen", "0.33.0")


async def test_an_engine_behind_an_api_key_is_known_by_its_series_until_it_says_more() -> None:
    hosts = Hosts()
    hosts.engine("e", b'vllm:prompt_tokens_total{model_name="llama"} 1\n')
    hosts.answers["http://e/v1/models"] = lambda: httpx.Response(401)
    fleet = Fleet([], {"e": "http://e"})
    told = []
    async with hosts.client() as client:
        engines = Engines(Context(client, fleet.now, learn=fleet.learn))
        for answer in (None, json(b'{"data": [{"id": "llama", "root": "/models/llama"}]}'), None):
            if answer is not None:
                hosts.answers["http://e/v1/models"] = answer
            await engines.read("e")
            told.append((fleet.now()[0].model, fleet.now()[0].model_root))
    assert told == [("llama", "llama"), ("llama", "/models/llama"), ("llama", "/models/llama")]
    assert hosts.asked.count("http://e/v1/models") == 2


@pytest.mark.parametrize("name", ["m" * 300, "a\\u0000"])
async def test_a_model_s_name_that_is_no_label_is_not_learnt(name: str) -> None:
    hosts = Hosts()
    hosts.engine("e", b"vllm:prompt_tokens_total 1\n")
    hosts.answers["http://e/v1/models"] = json(f'{{"data": [{{"id": "{name}"}}]}}'.encode())
    fleet = Fleet([], {"e": "http://e"})
    async with hosts.client() as client:
        await Engines(Context(client, fleet.now, learn=fleet.learn)).read("e")
    assert fleet.now()[0].model == ""


async def test_the_readme_says_how_many_series_200_engines_make() -> None:
    hosts = Hosts()
    hosts.engine("decode-0", exposition("vllm-0.32-nixl-lmcache-decode"))
    of_one = await series(hosts)
    all_of_them = f"200 engines make {200 * of_one:,}, and scraped every 15 s {round(200 * of_one / 15):,} samples a second"
    readme = (Path(__file__).parents[3] / "exporters" / "README.md").read_text()
    assert f"makes {of_one} series: {all_of_them}" in " ".join(readme.split())


async def series(hosts: Hosts) -> int:
    """Series of one engine: its own, those of the waterfall, and those about its scrape."""
    own = sum(len(point.value.buckets) + 2 if isinstance(point.value, Histogram) else 1 for point in await read(hosts))
    return own + len(Source) + 2


async def test_an_engine_behind_a_prefix_of_others_is_read_as_any() -> None:
    hosts = Hosts()
    hosts.engine("decode-0", b"ray_vllm_num_requests_running 3\n")
    assert of(await read(hosts), catalog.ENGINE_REQUESTS) == [Point(catalog.ENGINE_REQUESTS, OWN | {Label.STATE: "running"}, 3.0)]


async def test_metrics_are_where_the_list_says() -> None:
    hosts = Hosts()
    hosts.answers["http://decode-0/vllm/metrics"] = text(b"vllm:prompt_tokens_total 1\n")
    async with hosts.client() as client:
        await Engines(Context(client, lambda: [target("decode-0", metrics_path="/vllm/metrics")])).read("decode-0")
    assert hosts.asked == ["http://decode-0/vllm/metrics", "http://decode-0/version"]
