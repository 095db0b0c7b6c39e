"""One target, named by who asks."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlencode

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from exporters import pages
from exporters.allowed import Allowed, allowed
from exporters.app import application
from exporters.checked_transport import CheckedTransport
from exporters.collector import Context, collectors, reads_urls
from exporters.probe import ProbeError, Probes, question
from exporters.settings import Settings
from stack.adapters.exposition import parse
from stack.engines.samples import Samples
from stack.metrics import catalog
from tests.exporters.recorded import Hosts, exposition

MODULES = frozenset({"engines", "lmcache", "routers"})
NAMES = frozenset(catalog.CATALOG)
INSIDE = allowed(["10.0.0.0/8"])


@asynccontextmanager
async def exporter(hosts: Hosts, may: Allowed = INSIDE, on: Sequence[str] = tuple(MODULES)) -> AsyncIterator[httpx.AsyncClient]:
    settings = Settings("127.0.0.1", 0, (), {}, 4.0, collectors=frozenset(on), probe=may)
    app = application(settings, clock=lambda: 0.0, transport=hosts.transport())
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as one:
        yield one


async def probe(client: httpx.AsyncClient, **asked: str) -> httpx.Response:
    return await client.get(f"/probe?{urlencode(asked)}")


async def samples(client: httpx.AsyncClient, **asked: str) -> Samples:
    answer = await probe(client, **asked)
    assert answer.status_code == 200
    return parse(answer.content, NAMES)


def decode() -> Hosts:
    hosts = Hosts()
    hosts.engine("10.0.0.1:8000", exposition("vllm-0.32-nixl-lmcache-decode"))
    hosts.lmcache("10.0.0.2:8280", exposition("lmcache-0.5.6-mp-server"))
    return hosts


def test_modules_are_the_collectors_that_read_one_url() -> None:
    assert {name for name in collectors if reads_urls(name)} == MODULES


async def test_an_engine_is_read_as_in_a_fleet_of_one() -> None:
    async with exporter(decode()) as client:
        found = await samples(client, target="10.0.0.1:8000")
        named = await samples(client, target="http://10.0.0.1:8000/metrics", replica="decode-0", pool="prefill")
    assert found.by("replica", catalog.PROMPT_TOKENS.name) == {"10.0.0.1:8000": 4981.0}
    assert found.by("target", catalog.SCRAPE_COLLECTOR_SUCCESS.name) == {"10.0.0.1:8000": 1.0}
    assert named.by("replica", catalog.PROMPT_TOKENS.name) == {"decode-0": 4981.0}
    assert set(named.by("pool", catalog.PROMPT_TOKENS.name)) == {"prefill"}


async def test_an_answer_is_what_the_page_says_whoever_was_asked_before() -> None:
    """Two exporters behind one name agree, whatever either has seen: an engine's restart is one in both."""
    hosts = decode()
    async with exporter(hosts) as first, exporter(hosts) as second:
        before = await samples(first, target="10.0.0.1:8000")
        hosts.engine("10.0.0.1:8000", exposition("vllm-0.32-plain"))
        told = [await probe(client, target="10.0.0.1:8000") for client in (first, second)]
    assert before.by("source", catalog.PROMPT_TOKENS.name) != parse(told[0].content, NAMES).by("source", catalog.PROMPT_TOKENS.name)
    assert parse(told[0].content, NAMES).by("source", catalog.PROMPT_TOKENS.name) == parse(told[1].content, NAMES).by(
        "source", catalog.PROMPT_TOKENS.name
    )


async def test_an_lmcache_server_is_a_module_of_its_own() -> None:
    async with exporter(decode()) as client:
        found = await samples(client, target="10.0.0.2:8280", module="lmcache")
    assert found.by("tier", catalog.CACHE_USED_BYTES.name) == {"l1": 412_876_800.0}


async def test_what_an_engine_says_once_a_process_is_asked_once() -> None:
    hosts = decode()
    async with exporter(hosts) as client:
        for _ in range(2):
            await probe(client, target="10.0.0.1:8000")
    assert hosts.asked.count("http://10.0.0.1:8000/version") == 1


async def test_a_target_that_cannot_be_read_says_so_in_its_own_series() -> None:
    async with exporter(Hosts()) as client:
        found = await samples(client, target="10.0.0.9:8000")
    assert found.by("target", catalog.SCRAPE_COLLECTOR_SUCCESS.name) == {"10.0.0.9:8000": 0.0}


async def test_a_redirect_is_a_failure() -> None:
    hosts = decode()
    hosts.answers["http://10.0.0.1:8000/metrics"] = lambda: httpx.Response(
        302, headers={"location": "http://10.0.0.2:8280/metrics"}
    )
    async with exporter(hosts) as client:
        found = await samples(client, target="10.0.0.1:8000")
    assert found.by("target", catalog.SCRAPE_COLLECTOR_SUCCESS.name) == {"10.0.0.1:8000": 0.0}
    assert hosts.asked == ["http://10.0.0.1:8000/metrics"]


@pytest.mark.parametrize(
    "target", ["169.254.169.254", "127.0.0.1:8000", "11.0.0.1:8000", "[fd00:ec2::254]", "2852039166", "0x7f.1"]
)
async def test_what_may_not_be_read_is_refused_and_nothing_is_sent(target: str) -> None:
    hosts = decode()
    async with exporter(hosts) as client:
        answer = await probe(client, target=target)
    assert (answer.status_code, answer.text) == (403, "the target is not in --probe.allow\n")
    assert hosts.asked == []


async def test_more_than_so_many_at_once_are_asked_to_come_again() -> None:
    gate, waiting = asyncio.Event(), asyncio.Event()

    async def hang(request: httpx.Request) -> httpx.Response:
        waiting.set()
        await gate.wait()
        return httpx.Response(503)

    network = CheckedTransport(INSIDE, httpx.MockTransport(hang))
    async with httpx.AsyncClient(transport=network) as http:
        page = pages.probing(Probes(Context(http, tuple), 60.0, "0.0.1", most_at_once=1), network, MODULES, 60.0)
        app = Starlette(routes=[Route("/probe", page)])
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as client:
            under_way = asyncio.create_task(probe(client, target="10.0.0.1"))
            await waiting.wait()
            busy = await probe(client, target="10.0.0.2")
            gate.set()
            answers = [await under_way, await probe(client, target="10.0.0.2")]
    assert (busy.status_code, busy.text) == (503, "1 targets are being read\n")
    assert [answer.status_code for answer in answers] == [200, 200]


async def test_without_a_list_there_is_no_such_page() -> None:
    async with exporter(decode(), allowed([])) as client:
        assert (await probe(client, target="10.0.0.1:8000")).status_code == 404


async def test_a_collector_that_is_switched_off_is_no_module() -> None:
    async with exporter(decode(), on=["engines"]) as client:
        answer = await probe(client, target="10.0.0.2:8280", module="lmcache")
    assert (answer.status_code, answer.text) == (400, "module is one of engines\n")


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({}, "target is HOST:PORT"),
        ({"target": "10.0.0.1", "module": "store"}, "module is one of engines, lmcache, routers"),
        ({"target": "ftp://10.0.0.1"}, "target is HOST:PORT"),
        ({"target": "http://user:secret@10.0.0.1"}, "target is HOST:PORT"),
        ({"target": "http://10.0.0.1/metrics?x=1"}, "target is HOST:PORT"),
        ({"target": "http://10.0.0.1/admin"}, "target has no path but /metrics"),
        ({"target": "http://10.0.0.1:x"}, "target is no address"),
        ({"target": "10.0.0.1", "pool": "x"}, "pool is one of prefill, decode"),
        ({"target": "10.0.0.1", "replica": "x" * 201}, "replica has more than 200 characters"),
    ],
)
def test_a_question_that_is_none_says_what_is_wrong(asked: dict[str, str], complaint: str) -> None:
    with pytest.raises(ProbeError, match=complaint):
        question(asked, MODULES)
