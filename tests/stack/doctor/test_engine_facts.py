"""What engines are asked, and what becomes of silence."""

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Mapping

import httpx
import psutil
import pytest

from stack.doctor.engine_facts import ask_engines
from stack.doctor.facts import Engine, EventSource, Skew
from stack.doctor.listening import Here, here
from stack.doctor.server_facts import ask_cache_server, ask_prometheus
from stack.model.target import Target
from stack.model.tier import Pool

TARGET = Target(replica="d", url="http://engine", pool=Pool.DECODE, model="m", model_root="/models/m")
DATE = "Thu, 01 Jan 1970 00:01:40 GMT"
DOCUMENTS: Mapping[str, object] = {
    "/health": {},
    "/version": {"version": "0.32.0"},
    "/kv_event_sources": {"0": {"enable_kv_cache_events": True, "endpoint": "tcp://*:1", "replay_endpoint": None}},
    "/v1/models": {"data": [{"id": "m", "root": "/models/m", "parent": None}, {"id": "a", "root": "/adapter", "parent": "m"}]},
}


async def sent(document: object) -> AsyncIterator[bytes]:
    yield json.dumps(document).encode()


def ask(documents: Mapping[str, object]) -> Engine:
    def answer(request: httpx.Request) -> httpx.Response:
        found = documents.get(request.url.path)
        if found is None or isinstance(found, int):
            return httpx.Response(found or 404)
        return httpx.Response(200, content=sent(found), headers={"date": DATE})

    async def asked() -> tuple[Engine, ...]:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
            return await ask_engines(http, [TARGET], lambda url: None, lambda: 100.5)

    return asyncio.run(asked())[0]


def test_an_engine_is_known_by_what_it_tells() -> None:
    events = (EventSource(True, "tcp://*:1", None),)
    assert ask(DOCUMENTS) == Engine(TARGET, None, "0.32.0", ("/models/m",), None, events, None, Skew(-0.5, 1.5), None)


def test_what_a_version_does_not_have_is_not_told() -> None:
    assert ask({"/health": {}}) == Engine(TARGET, skew=Skew(-0.5, 1.5))


def test_an_engine_that_does_not_answer_is_at_fault() -> None:
    assert ask({}) == Engine(TARGET, fault="404 at /health")


@pytest.mark.parametrize("status", [401, 403, 404])
def test_an_engine_whose_health_is_not_told_is_known_by_the_rest(status: int) -> None:
    assert ask({"/health": status, "/version": {"version": "0.32.0"}}).version == "0.32.0"
    assert ask({"/health": status}).fault == f"{status} at /health"


def test_an_engine_that_says_it_is_not_well_is_at_fault_whatever_else_it_tells() -> None:
    assert ask({"/health": 503, "/version": {"version": "0.32.0"}}) == Engine(TARGET, fault="503 at /health")


def test_servers_that_do_not_answer_say_why() -> None:
    async def asked() -> tuple[str | None, str | None]:
        async with httpx.AsyncClient(transport=httpx.MockTransport(lambda request: httpx.Response(500))) as http:
            return (await ask_cache_server(http, "http://c")).fault, (await ask_prometheus(http, "http://p")).fault

    assert asyncio.run(asked()) == ("500 at /status", "500 at /api/v1/status/flags")


@pytest.mark.parametrize(("answer", "expected"), [(b'"0.5.6"', "0.5.6"), (b"{}", None), (b'"a\\nb"', None)])
def test_an_lmcache_says_its_version_or_it_is_not_known(answer: bytes, expected: str | None) -> None:
    pages = {"/status": b"{}", "/metrics": b"lmcache_mp_lookups_total 1\n", "/lmc_version": answer}

    async def page(path: str) -> AsyncIterator[bytes]:
        yield pages[path]

    def told(request: httpx.Request) -> httpx.Response:
        path = request.url.path
        kind = {"content-type": "text/plain"}
        return httpx.Response(200, content=page(path), headers=kind) if path in pages else httpx.Response(404)

    async def asked() -> str | None:
        async with httpx.AsyncClient(transport=httpx.MockTransport(told)) as http:
            return (await ask_cache_server(http, "http://c")).version

    assert asyncio.run(asked()) == expected


def test_a_process_that_is_no_vllm_or_elsewhere_stays_unknown() -> None:
    machine = Here({8000: os.getpid(), 8001: max(psutil.pids()) + 100_000}, {})
    urls = ("http://10.0.0.1:8000", "http://127.0.0.1:8000", "http://127.0.0.1:8001", "http://127.0.0.1:1")
    assert [machine.engine(url) for url in urls] == [None] * 4


def test_a_second_is_measured_of_what_listens_here_only() -> None:
    slept: list[float] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        measured, elsewhere = here([url], slept.append), here(["http://10.0.0.1:8000"], slept.append)
    assert slept == [1.0]
    assert list(measured.cores) == [os.getpid()]
    assert 0.0 <= measured.cores[os.getpid()] < 1.0
    assert elsewhere.cores == {}
