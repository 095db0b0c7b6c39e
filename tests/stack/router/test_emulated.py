"""The router over emulated engines: what it finds out about a lost transfer, and what becomes of work whose client left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from stack.model.tier import Pool
from stack.router.openai import encode
from tests.stack.router.bench import LONG, SHORT, RouterBench
from tests.stack.router.emulated import Emulated, Gate, emulated, home
from tests.stack.router.fakes import MODEL
from tests.stack.router.waiting import until


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_prefill_engine_killed_between_the_legs_is_a_lost_transfer_and_the_client_is_served(
    tmp_path: Path, streamed: bool
) -> None:
    engines = home(0.001)
    prefill = Emulated(engines, "prefill-0", Pool.PREFILL)
    decode = Emulated(engines, "decode-0", gate=Gate(prefill.stop))
    async with emulated(tmp_path, engines, prefill, decode) as bench:
        if streamed:
            answer, _ = await bench.stream(LONG, max_tokens=4)
        else:
            answer = await bench.chat(LONG, max_tokens=4)
        record = await bench.record()
        fallbacks = await bench.metric("kvdeck_router_fallbacks_total")
    assert (answer.status_code, record.status, record.path, record.prefill_engine) == (200, 200, "dpd", "prefill-0")
    assert (record.fallbacks, record.cached_tokens) == (("transfer_lost",), 0)
    assert fallbacks == {'{model_name="smollm2",reason="transfer_lost"}': 1.0}


async def test_what_the_decode_engine_had_itself_is_no_transfer(tmp_path: Path) -> None:
    """As on real engines: whole blocks of its own count as cached, the rest was computed."""
    engines = home(0.001)
    prefill = Emulated(engines, "prefill-0", Pool.PREFILL)
    decode = Emulated(engines, "decode-0", gate=Gate(prefill.stop))
    async with emulated(tmp_path, engines, prefill, decode) as bench:
        await bench.chat(LONG[:1000], max_tokens=1)
        await bench.chat(LONG, max_tokens=1)
        record = await bench.record()
    assert record.cached_tokens is not None
    assert (record.path, record.fallbacks, record.cached_tokens % 64) == ("dpd", ("transfer_lost",), 0)
    assert 0 < record.cached_tokens < record.prompt_tokens


async def test_a_transfer_that_arrives_is_no_fallback(tmp_path: Path) -> None:
    engines = home(0.001)
    prefill, decode = Emulated(engines, "prefill-0", Pool.PREFILL), Emulated(engines, "decode-0")
    async with emulated(tmp_path, engines, prefill, decode) as bench:
        for _ in range(2):
            await bench.chat(LONG, max_tokens=1)
        records = [await bench.record()]
        fallbacks = await bench.metric("kvdeck_router_fallbacks_total")
    assert (records[-1].path, records[-1].fallbacks, fallbacks) == ("dpd", (), {})


async def _whole(bench: RouterBench, prompt: str) -> None:
    await bench.chat(prompt, max_tokens=2000)


async def _stream(bench: RouterBench, prompt: str) -> None:
    await bench.stream(prompt, max_tokens=2000)


async def _idle(bench: RouterBench, *members: Emulated) -> bool:
    return not any([await member.busy() for member in members]) and bench.router.in_flight.total == 0


@pytest.mark.parametrize("ask", [_whole, _stream])
@pytest.mark.parametrize(("prompt", "works"), [(SHORT, "decode-0"), (LONG, "prefill-0")])
async def test_a_client_that_leaves_stops_its_work_within_a_second(
    tmp_path: Path, ask: Callable[[RouterBench, str], Coroutine[Any, Any, None]], prompt: str, works: str
) -> None:
    """While its answer is written, and in the prefill leg."""
    engines = home(2.0)
    members = Emulated(engines, "prefill-0", Pool.PREFILL), Emulated(engines, "decode-0")
    async with emulated(tmp_path, engines, *members) as bench:
        worker = next(member for member in members if member.name == works)
        request = asyncio.create_task(ask(bench, prompt))
        await until(worker.busy)
        request.cancel()
        with suppress(asyncio.CancelledError, httpx.HTTPError):
            await request
        await until(lambda: _idle(bench, *members), limit_seconds=5.0)  # a second where nothing else runs
        record = await bench.record()
    assert (record.status, record.error) == (499, "client_left")


async def test_kv_is_collected_when_the_client_leaves_between_the_legs(tmp_path: Path) -> None:
    """Just as the prefill engine's answer comes: nobody else would come for it before its lease ends, half a minute later."""
    engines = home(0.001)
    gate = Gate()
    prefill, decode = Emulated(engines, "prefill-0", Pool.PREFILL, gate=gate), Emulated(engines, "decode-0")
    async with emulated(tmp_path, engines, prefill, decode) as bench:
        _, client = await asyncio.open_connection(*bench.router.server.address)
        gate.after_prefill = client.transport.abort
        body = encode({"model": MODEL, "messages": [{"role": "user", "content": LONG}]})
        client.write(b"POST /v1/chat/completions HTTP/1.1\r\nhost: r\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))
        record = await bench.record()
        await until(lambda: _given_up(prefill))
        counted = await _collected(bench)
    assert (record.status, record.error, record.prefill_engine) == (499, "client_left", "prefill-0")
    assert counted == {'{model_name="smollm2",outcome="done",reason="client_left"}': 1.0}


async def test_kv_of_a_request_that_the_decode_engine_refuses_is_collected_beside_the_answer(tmp_path: Path) -> None:
    engines = home(0.001)
    prefill, decode = Emulated(engines, "prefill-0", Pool.PREFILL), Emulated(engines, "decode-0")
    async with emulated(tmp_path, engines, prefill, decode) as bench:
        answer = await bench.chat(LONG, min_tokens="some")
        await until(lambda: _given_up(prefill))
        counted = await _collected(bench)
    assert (answer.status_code, counted) == (400, {'{model_name="smollm2",outcome="done",reason="decode_refused"}': 1.0})


async def _collected(bench: RouterBench) -> dict[str, float]:
    counted: dict[str, float] = {}

    async def told() -> bool:
        counted.update(await bench.metric("kvdeck_router_collected_handovers_total"))
        return bool(counted)

    await until(told)
    return counted


async def _given_up(member: Emulated) -> bool:
    return not await member.keeps()
