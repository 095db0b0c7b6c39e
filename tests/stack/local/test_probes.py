from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from stack.local.install.store import find_store
from stack.local.probes import EngineProbe, HttpProbe, RedisProbe, StayProbe
from stack.local.process import Command
from stack.local.spec import NotReadyError, Probe, Stage
from tests.ports import free_port
from tests.stack.local.living import host


def client(statuses: dict[str, int]) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.MockTransport(lambda request: httpx.Response(statuses[request.url.path])))


async def fault(probe: Probe) -> str | None:
    try:
        await probe.ready()
    except NotReadyError as error:
        return str(error)
    return None


async def test_an_http_component_is_ready_at_200() -> None:
    assert await fault(HttpProbe(client({"/health": 200}), "http://a/health")) is None
    assert await fault(HttpProbe(client({"/health": 503}), "http://a/health")) == "HTTP 503"


async def test_nobody_there_is_no_fault_yet() -> None:
    async with httpx.AsyncClient(trust_env=False) as real:
        assert await fault(HttpProbe(real, f"http://127.0.0.1:{free_port()}/health")) == "no connection yet"


async def test_an_engine_is_ready_after_its_first_answer() -> None:
    paths = "/v1/chat/completions"
    assert await fault(EngineProbe(client({"/health": 200, paths: 200}), "http://a", "m")) is None
    assert await fault(EngineProbe(client({"/health": 503}), "http://a", "m")) == "HTTP 503"
    assert await fault(EngineProbe(client({"/health": 200, paths: 500}), "http://a", "m")) == (
        "healthy, but its first answer was HTTP 500"
    )


async def test_a_real_store_answers_ping(tmp_path: Path) -> None:
    port = free_port()
    argv = (str(find_store()), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path))
    process = await Command(host=host(tmp_path), kind="store", argv=argv, stage=Stage.STORE).start("redis")
    probe = RedisProbe("127.0.0.1", port)
    async with asyncio.timeout(60):
        while await fault(probe) is not None:  # noqa: ASYNC110  # a store tells no event of ours
            await asyncio.sleep(0.02)
    await process.stop()
    assert await fault(probe) == "no connection yet"


async def test_something_else_on_the_stores_port_is_not_a_store() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"-LOADING\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        assert await fault(RedisProbe("127.0.0.1", server.sockets[0].getsockname()[1])) == "does not answer PING"


async def test_what_listens_nowhere_is_ready_once_it_stayed() -> None:
    assert await fault(StayProbe(0.01)) is None


async def test_probes_have_a_deadline() -> None:
    async def never(request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    probe = HttpProbe(httpx.AsyncClient(transport=httpx.MockTransport(never)), "http://a/health")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stack.local.probes.DEADLINE_SECONDS", 0.05)
        assert await fault(probe) == "no answer in time"
