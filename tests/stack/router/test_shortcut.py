"""A request that needs no task ends as it would with one, whatever happens to it on its way."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from stack.control.decision import DecisionRecord
from stack.fleet.engine import Health
from stack.router.shortcut import WHOLE_BYTES_MAX
from tests.stack.router.bench import RouterBench, fleet
from tests.stack.router.fakes import MODEL, Behaviour, Exchange, FakeEngine, answer, completion
from tests.stack.router.waiting import until

BODY = {"model": MODEL, "messages": [{"role": "user", "content": "hello"}]}


async def _in_two_parts(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.raw(b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 8\r\n\r\n{"a"')
    await asyncio.sleep(0.01)
    await exchange.raw(b": 1}")


async def _at_length(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.json(200, completion(exchange.seen.body, words=("Paris " * 20_000,)))


async def _as_a_stream(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.start_stream()
    await exchange.event({"choices": []})
    await exchange.end_stream()


async def _refuses(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.json(400, {"error": {"message": "too long", "type": "BadRequestError", "code": 400}})


async def _fails(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.json(503, {"detail": "no"})


async def _dies(engine: FakeEngine, exchange: Exchange) -> None:
    exchange.die()


async def _dies_within(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.raw(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{")
    exchange.die()


async def _talks_no_http(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.raw(b"SSH-2.0-OpenSSH_9.2\r\n")


async def _breaks_a_line(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.raw(b"HTTP/1.1 200 OK\r\nx-a: b\rc\r\ncontent-length: 2\r\n\r\n{}")


async def _says_nothing(engine: FakeEngine, exchange: Exchange) -> None:
    await exchange.hang()


CASES: tuple[Behaviour, ...] = (
    answer, _in_two_parts, _at_length, _as_a_stream, _refuses, _fails, _dies, _dies_within, _talks_no_http, _breaks_a_line,
    _says_nothing,
)  # fmt: skip


async def _warm(bench: RouterBench, *engines: FakeEngine) -> None:
    """One answer of each engine, so that there is a connection to it."""
    for engine in engines:
        await bench.chat()
        await until(lambda engine=engine: len(engine.seen) == 1)  # type: ignore[misc]  # mypy cannot infer a lambda's default


def _told(record: DecisionRecord) -> Mapping[str, Any]:
    """What a record says that is the same each time."""
    return {
        "engine": record.engine,
        "status": record.status,
        "error": record.error,
        "fallbacks": record.fallbacks,
        "streamed": record.streamed,
        "cached": record.cached_tokens,
        "out": record.output_tokens,
        "phases": sorted(record.phases),
        "total": record.total_seconds is not None,
    }


async def _outcome(bench: RouterBench, engines: tuple[FakeEngine, FakeEngine], behave: Behaviour) -> tuple[Any, ...]:
    """What comes of one request to the first engine, and of one to the other."""
    for _ in engines:
        assert (await bench.chat()).status_code == 200
    await until(lambda: all(bench.health(engine) is Health.READY for engine in engines))
    before, seen = len(bench.router.records), [len(engine.seen) for engine in engines]
    engines[0].behave = behave
    response = await bench.chat(behave.__name__)
    await until(lambda: len(bench.router.records) == before + 1)
    record = await bench.record()
    engines[0].behave = answer
    after = await bench.chat()
    headers = {name: value for name, value in response.headers.items() if not name.endswith("request-id")}
    asked = [len(engine.seen) - count for engine, count in zip(engines, seen, strict=True)]
    told = response.status_code, headers, response.content.replace(record.request_id.encode(), b"")
    return *told, _told(record), after.status_code, after.headers["x-kvdeck-engine"], asked, bench.router.in_flight.total


async def _outcomes(folder: Path, shortcut: bool) -> tuple[dict[str, tuple[Any, ...]], dict[str, float]]:
    engines = FakeEngine("decode-0"), FakeEngine("decode-1")
    async with fleet(folder, *engines, shortcut=shortcut, answer_s=0.2, eject_after=100, retries_saved=100.0) as bench:
        outcomes = {behave.__name__: await _outcome(bench, engines, behave) for behave in CASES}
        return outcomes, await bench.metric("kvdeck_router_requests_total")


async def test_with_and_without_a_task_everything_ends_alike(tmp_path: Path) -> None:
    short, counted = await _outcomes(tmp_path, True)
    task, counted_too = await _outcomes(tmp_path, False)
    for behave in CASES:
        assert short[behave.__name__] == task[behave.__name__], behave.__name__
        assert short[behave.__name__][-1] == 0
    assert counted == counted_too


async def test_the_common_request_takes_no_task(tmp_path: Path) -> None:
    engine = FakeEngine("decode-0")
    tasks: list[int] = []
    async with fleet(tmp_path, engine, models_interval_s=60.0) as bench:  # else a look at the models takes the connection
        await _warm(bench, engine)
        connections = bench.router.server._site

        async def counts(engine: FakeEngine, exchange: Exchange) -> None:
            tasks.append(len(connections.tasks))
            await answer(engine, exchange)

        engine.behave = counts
        await bench.client.aclose()
        await until(lambda: not connections.tasks)
        async with httpx.AsyncClient(base_url=bench.client.base_url, trust_env=False) as client:
            answers = [await client.post("/v1/chat/completions", json=BODY) for _ in range(3)]
    assert [a.status_code for a in answers] == [200] * 3
    assert tasks == [0, 0, 0]


@pytest.mark.parametrize("shortcut", [True, False])
async def test_a_client_that_leaves_ends_the_engines_work(tmp_path: Path, shortcut: bool) -> None:
    engine = FakeEngine("decode-0")
    async with fleet(tmp_path, engine, shortcut=shortcut) as bench:
        await _warm(bench, engine)
        engine.behave = _says_nothing
        engine.left.clear()
        with pytest.raises(httpx.ReadTimeout):
            await bench.client.post("/v1/chat/completions", json=BODY, timeout=0.05)
        async with asyncio.timeout(5):
            await engine.left.wait()
        await until(lambda: len(bench.router.records) == 2)
        record = await bench.record()
        assert bench.router.in_flight.total == 0
        engine.behave = answer
        assert (await bench.chat()).status_code == 200
    assert (record.status, record.error, record.cached_tokens) == (499, "client_left", None)


@pytest.mark.parametrize("shortcut", [True, False])
async def test_who_waits_on_an_engine_that_went_away_is_served_by_another(tmp_path: Path, shortcut: bool) -> None:
    engines = FakeEngine("decode-0"), FakeEngine("decode-1")
    async with fleet(tmp_path, *engines, shortcut=shortcut, lost_after_s=0.05) as bench:
        await _warm(bench, *engines)
        engines[0].behave = _says_nothing
        waiting = asyncio.create_task(bench.chat())
        await until(lambda: len(engines[0].seen) == 2)
        bench.list_engines(engines[1])
        response = await waiting
    assert (response.status_code, response.headers["x-kvdeck-engine"]) == (200, "decode-1")
    assert response.headers["x-kvdeck-fallback"] == "decode_died"


@pytest.mark.parametrize("shortcut", [True, False])
async def test_a_router_that_stops_lets_whole_answers_finish(tmp_path: Path, shortcut: bool) -> None:
    engine = FakeEngine("decode-0")
    holding = asyncio.Event()

    async def holds(engine: FakeEngine, exchange: Exchange) -> None:
        await holding.wait()
        await answer(engine, exchange)

    async with fleet(tmp_path, engine, shortcut=shortcut) as bench:
        await _warm(bench, engine)
        engine.behave = holds
        waiting = asyncio.create_task(bench.chat())
        await until(lambda: len(engine.seen) == 2)
        stopping = asyncio.create_task(bench.router.stop())
        await asyncio.sleep(0)
        holding.set()
        assert (await waiting).status_code == 200
        assert await stopping


async def test_an_answer_too_long_for_one_write_goes_on_in_a_task_before_it_is_whole(tmp_path: Path) -> None:
    engine = FakeEngine("decode-0")
    async with fleet(tmp_path, engine, models_interval_s=60.0) as bench:  # else a look at the models takes the connection
        await _warm(bench, engine)
        connections = bench.router.server._site

        async def at_length(engine: FakeEngine, exchange: Exchange) -> None:
            body = b'{"a": "%b"}' % (b"b" * 2 * WHOLE_BYTES_MAX)
            head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
            await exchange.raw(head + body[:-1])
            await until(lambda: len(connections.tasks) == 1)
            await exchange.raw(body[-1:])

        engine.behave = at_length
        await bench.client.aclose()
        await until(lambda: not connections.tasks)
        async with httpx.AsyncClient(base_url=bench.client.base_url, trust_env=False) as client:
            response = await client.post("/v1/chat/completions", json=BODY)
    assert (response.status_code, len(response.json()["a"])) == (200, 2 * WHOLE_BYTES_MAX)
