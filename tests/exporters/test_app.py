"""The whole exporter over recorded engines: exact expositions, and what becomes of targets that misbehave."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from msgspec import structs

from exporters import fabric_counters, lmcache_models, lmcache_points, store_info
from exporters.app import application
from exporters.collectors import engines, routers
from exporters.settings import Settings
from stack.adapters.exposition import parse
from stack.engines import lmcache
from stack.engines import lmcache_quantities as lq
from stack.engines.routers.base import RouterReading
from stack.engines.samples import Histogram, Samples
from stack.engines.vllm import WANTED, read
from stack.kube.access import Access
from stack.kube.discovery import EnginePods
from stack.kube.engine_pods import Selection
from stack.metrics import catalog
from stack.metrics.family import Emitter, Label
from stack.model.target import Target, encode
from stack.model.tier import Pool
from tests.alerts.promtool import faults_of
from tests.certificates import self_signed
from tests.exporters import synthetic, synthetic_lmcache
from tests.exporters.recorded import Hosts, exposition, target, text
from tests.stack.kube.server import Server, pod, pods, watch

EXPECTED = Path(__file__).parent / "expected"
FLEET = [target("prefill-0", Pool.PREFILL), target("decode-0")]
NAMES = frozenset(catalog.CATALOG)
INFO = {
    "used_memory": 1, "maxmemory": 2, "maxmemory_policy": "noeviction", "evicted_keys": 0, "expired_keys": 0, "keyspace_hits": 0,
    "keyspace_misses": 0, "connected_clients": 1, "rejected_connections": 0, "uptime_in_seconds": 1, "connected_slaves": 0,
    "rdb_last_bgsave_status": "ok",
}  # fmt: skip


def recorded() -> Hosts:
    hosts = Hosts()
    hosts.engine("prefill-0", exposition("vllm-0.32-nixl-lmcache-prefill"))
    hosts.engine("decode-0", exposition("vllm-0.32-nixl-lmcache-decode"))
    hosts.lmcache("lmcache", exposition("lmcache-0.5.6-mp-server"))
    return hosts


class Exporter:
    """The application, its target file and what its targets answer."""

    def __init__(self, client: httpx.AsyncClient, file: Path, hosts: Hosts) -> None:
        self._client, self.file, self.hosts = client, file, hosts

    async def text(self) -> str:
        answer = await self._client.get("/metrics")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
        return answer.text

    async def samples(self) -> Samples:
        return parse((await self.text()).encode(), NAMES)

    def list(self, *fleet: Target) -> None:
        changed = self.file.with_suffix(".new")
        changed.write_bytes(encode(list(fleet)))
        changed.replace(self.file)


@asynccontextmanager
async def exporter(
    folder: Path, hosts: Hosts, timeout_seconds: float = 4.0, lmcache: Sequence[str] = ("lmcache",), fleet: Sequence[Target] = FLEET
) -> AsyncIterator[Exporter]:
    """An exporter whose clock stands still, of `fleet` and the LMCaches on hosts of these names."""
    settings = Settings(
        "127.0.0.1", 0, (str(folder / "engines.json"),), {"lmcache": {name: f"http://{name}" for name in lmcache}}, timeout_seconds
    )
    app = application(settings, clock=lambda: 0.0, transport=hosts.transport())
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as client,
    ):
        one = Exporter(client, folder / "engines.json", hosts)
        one.list(*fleet)
        yield one


def success(samples: Samples) -> dict[str, float]:
    return samples.by("target", catalog.SCRAPE_COLLECTOR_SUCCESS.name)


async def test_the_exposition_of_a_recorded_fleet_is_exactly_this(tmp_path: Path) -> None:
    async with exporter(tmp_path, recorded()) as one:
        assert await one.text() == (EXPECTED / "dpd-with-lmcache.txt").read_text()


def test_promtool_finds_no_fault_in_the_exposition() -> None:
    assert faults_of((EXPECTED / "dpd-with-lmcache.txt").read_text()) == ""


async def test_the_sources_of_each_engine_sum_to_its_prompt_tokens(tmp_path: Path) -> None:
    async with exporter(tmp_path, recorded()) as one:
        sums = (await one.samples()).by("replica", catalog.PROMPT_TOKENS.name)
    assert sums == {"prefill-0": 14943.0, "decode-0": 4981.0}


async def test_the_exporter_emits_every_family_declared_for_it_and_no_other(tmp_path: Path) -> None:
    async with exporter(tmp_path, recorded()) as one:
        families = {line.split()[2] for line in (await one.text()).splitlines() if line.startswith("# TYPE")}
    asked_beside_info = {catalog.STORE_PING.name, catalog.STORE_KEYS.name, catalog.STORE_CLUSTER_OK.name}
    asked_beside_info |= {one.name for one in (catalog.STORE_SAMPLED_KEYS, catalog.STORE_KV_KEYS, catalog.STORE_KV_BYTES)}
    roles = ({"role": "master"}, {"role": "slave", "master_link_status": "up"})
    of_the_store = {point.family.name for role in roles for point in store_info.points("redis", INFO | role)} | asked_beside_info
    some = Histogram((), 1.0, 1.0)
    whole = RouterReading(1.0, 1.0, some, some, {"http://a": 1.0}, {"http://a": 1.0}, {"http://a": 1.0})
    of_routers = {point.family.name for point in routers.points("r", "sglang_router", whole, {"http://a": "a"})}
    stays = parse(synthetic.exposition((0, 33, 0)), WANTED)
    of_engines = {point.family.name for point in engines.points(FLEET[1], read(stays, (0, 33, 0)))}
    tables = dict.fromkeys((lq.MULTI_PROCESS, lq.IN_PROCESS, lq.CONTROLLER, lq.COORDINATOR), (0, 5, 6))
    lmcaches = [lmcache.read(parse(synthetic_lmcache.exposition(*table), lmcache.WANTED)) for table in tables.items()]
    of_lmcache = {
        point.family.name
        for one in lmcaches
        for point in [*lmcache_points.points({Label.REPLICA: "l"}, one, str), *lmcache_models.points({}, one, str)]
    }
    declared = {name for name, family in catalog.CATALOG.items() if family.emitter is Emitter.EXPORTER}
    of_the_cache = {catalog.EXPORTER_SAMPLE_AGE.name, catalog.CACHE_L2_ADDRESS_STATE.name}
    of_the_node = {
        one.name
        for one in (
            catalog.TIER_DAEMON_REACHABLE,
            catalog.TIER_DAEMON_SHARED_MEMORY_PRESENT,
            catalog.TIER_DAEMON_SHARED_MEMORY_BYTES,
            catalog.FABRIC_PORTS,
            catalog.FABRIC_LINK,
            *(counter.family for counter in fabric_counters.HARDWARE),
        )
    }
    assert families | of_the_cache | of_the_node | of_the_store | of_routers | of_engines | of_lmcache == declared


@pytest.mark.parametrize(
    "document",
    [b"<html>no metrics</html>", b'vllm:prompt_tokens_total{engine="' + b"x" * 100_000 + b'"} 1\n', b"#" * 9_000_000, b""],
    ids=["not an exposition", "endless line", "huge", "empty"],
)
async def test_a_bad_target_costs_only_its_own_series(tmp_path: Path, document: bytes) -> None:
    hosts = recorded()
    hosts.engine("decode-0", document)
    async with exporter(tmp_path, hosts) as one:
        samples = await one.samples()
    assert success(samples) == {"prefill-0": 1.0, "decode-0": 0.0, "lmcache": 1.0}
    assert samples.by("replica", catalog.PROMPT_TOKENS.name).keys() == {"prefill-0"}
    assert samples.by("replica", catalog.TARGET_INFO.name).keys() == {"prefill-0", "decode-0"}


async def test_a_target_that_cannot_be_read_is_absent_and_comes_back(tmp_path: Path) -> None:
    hosts = recorded()
    lmcache = hosts.answers.pop("http://lmcache/metrics")
    async with exporter(tmp_path, hosts) as one:
        without = await one.samples()
        hosts.answers["http://lmcache/metrics"] = lmcache
        again = await one.samples()
    assert without.by("tier", catalog.CACHE_USED_BYTES.name) == {"engine": 0.0}
    assert again.by("tier", catalog.CACHE_USED_BYTES.name) == {"engine": 0.0, "l1": 412_876_800.0}


async def test_an_engine_that_leaves_the_file_takes_its_series_with_it(tmp_path: Path) -> None:
    async with exporter(tmp_path, recorded()) as one:
        await one.samples()
        one.list(FLEET[0])
        assert success(await one.samples()) == {"prefill-0": 1.0, "lmcache": 1.0}


async def test_a_broken_file_changes_nothing(tmp_path: Path) -> None:
    async with exporter(tmp_path, recorded()) as one:
        await one.samples()
        one.file.write_text("[{")
        assert success(await one.samples()) == {"prefill-0": 1.0, "decode-0": 1.0, "lmcache": 1.0}
        one.list(FLEET[1])
        assert success(await one.samples()) == {"decode-0": 1.0, "lmcache": 1.0}


async def test_a_hidden_quantity_is_absent_and_not_zero(tmp_path: Path) -> None:
    hosts = recorded()
    hosts.answers["http://decode-0/metrics"] = text(b'vllm:prompt_tokens_total{engine="0"} 10\n')
    async with exporter(tmp_path, hosts) as one:
        samples = await one.samples()
    assert samples.by("replica", catalog.ENGINE_REQUESTS.name).keys() == {"prefill-0"}
    assert samples.by("replica", catalog.PROMPT_TOKENS.name) == {"prefill-0": 14943.0, "decode-0": 10.0}


async def test_no_connection_is_kept_for_the_next_scrape(tmp_path: Path) -> None:
    """uvicorn closes an idle one after 5 s, just when a scrape 5 s later would use it."""
    used_again: list[bool] = []

    async def engine(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        kind, body = ("text/plain", exposition("vllm-0.32-plain")) if b" /metrics " in head else ("application/json", b"{}")
        writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        used_again.append(await reader.read(1) != b"")
        writer.close()

    server = await asyncio.start_server(engine, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    listed = tmp_path / "engines.json"
    listed.write_bytes(encode([Target(replica="decode-0", url=url, pool=Pool.DECODE, model="m", model_root="m")]))
    app = application(Settings("127.0.0.1", 0, (str(listed),), {}, 4.0))
    async with (
        server,
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as client,
    ):
        for _ in range(2):
            assert success(parse((await client.get("/metrics")).content, NAMES)) == {"decode-0": 1.0}
    assert len(used_again) >= 2
    assert not any(used_again)


async def test_a_collector_that_is_switched_off_reads_nothing() -> None:
    hosts = recorded()
    only = frozenset({"engines"})
    settings = Settings("127.0.0.1", 0, (), {"lmcache": {"lmcache": "http://lmcache"}}, 4.0, collectors=only)
    app = application(settings, clock=lambda: 0.0, transport=hosts.transport())
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as one:
        await one.get("/metrics")
    assert hosts.asked == []


async def test_an_engine_behind_tls_is_read_when_its_authority_is_named(tmp_path: Path) -> None:
    certificate = self_signed(tmp_path)
    served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    served.load_cert_chain(certificate, certificate.with_suffix(".key"))

    async def engine(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = exposition("vllm-0.32-plain")
        head = f"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    told = []
    async with await asyncio.start_server(engine, "127.0.0.1", 0, ssl=served) as server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        for vouching in (None, ssl.create_default_context(cafile=certificate)):
            app = application(Settings("127.0.0.1", 0, (), {"engines": {"e": url}}, 4.0, authority=vouching))
            async with app.router.lifespan_context(app):
                transport = httpx.ASGITransport(app)
                async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
                    told.append(success(parse((await client.get("/metrics")).content, NAMES)))
    assert told == [{"e": 0.0}, {"e": 1.0}]


async def test_pods_are_followed_while_the_application_runs() -> None:
    hosts = Hosts()
    hosts.engine("10.0.0.1:8000", exposition("vllm-0.32-plain"))
    hosts.lmcache("10.0.0.1:8080", exposition("lmcache-0.5.6-mp-server"))
    access = Access("https://kube", "default", True, lambda: None)
    apis = [Server(pods(pod("llm-0", "10.0.0.1")), *[watch([])] * 9) for _ in range(2)]
    engine_pods, cache_pods = (
        EnginePods(access, Selection("app=vllm", port=port), api.transport())
        for port, api in zip(("8000", "8080"), apis, strict=True)
    )
    settings = Settings("127.0.0.1", 0, (), {}, 4.0)
    app = application(settings, lambda: 0.0, hosts.transport(), engine_pods, cache_pods)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as one:
        for api in apis:
            await api.watched.wait()
        samples = parse((await one.get("/metrics")).content, NAMES)
    assert samples.by("collector", catalog.SCRAPE_COLLECTOR_SUCCESS.name) == {"engines": 1.0, "lmcache": 1.0}
    assert samples.by("mechanism", catalog.EXPORTER_DISCOVERY_SUCCESS.name) == {"kubernetes": 1.0}
    # Every series but those of the exporter itself: the engine's, its cache server's, and the scrape's of both.
    elsewhere = {name for name in NAMES for one in samples.of(name) if one.labels.get("namespace") != "default"}
    assert elsewhere == {catalog.BUILD_INFO.name, catalog.EXPORTER_DISCOVERY_SUCCESS.name}


async def test_each_series_of_a_target_is_of_the_namespace_that_its_file_says(tmp_path: Path) -> None:
    fleet = [structs.replace(FLEET[0], namespace="llm", cluster="west"), FLEET[1]]
    async with exporter(tmp_path, recorded(), fleet=fleet) as one:
        samples = await one.samples()
    of_replicas = [one for name in NAMES for one in samples.of(name) if (one.labels.get("replica") or one.labels.get("target"))]
    told = {
        (one.labels.get("replica") or one.labels["target"], one.labels.get("namespace"), one.labels.get("cluster"))
        for one in of_replicas
    }
    assert told == {("prefill-0", "llm", "west"), ("decode-0", None, None), ("lmcache", None, None)}
    present = [one for one in samples.of(catalog.QUANTITY_STATE.name) if one.labels["quantity"] == "prompt_tokens"]
    assert sorted((one.labels.get("namespace", ""), one.value) for one in present) == [("", 1.0), ("llm", 1.0)]
