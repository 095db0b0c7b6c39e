"""Streams: the canned engine, who listens to it, and the medians of both."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from stack.bench.router.canned import CannedServer, chunk
from stack.bench.router.chats import Shape, chats
from stack.bench.router.listener import Gaps, listen

TOKENS = 5


@asynccontextmanager
async def _canned(tokens_per_second: float = 200.0) -> AsyncIterator[str]:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: CannedServer(1 / tokens_per_second), "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def _listened(url: str, tokens: int) -> Gaps:
    bodies = [chat.body(0).encode() for chat in chats(Shape(2048, 512, 1, 3), stream_tokens=TOKENS)]
    return await listen(f"{url}/v1/chat/completions", bodies, tokens, 0.0, 60.0, time.monotonic)


async def test_every_token_of_every_stream_is_noted_at_the_streams_pace() -> None:
    async with _canned(tokens_per_second=200.0) as url:
        began = time.monotonic()
        gaps = await _listened(url, TOKENS)
        took = time.monotonic() - began
    assert (gaps.tokens, gaps.broken) == (3 * TOKENS, 0)
    assert gaps.p99_ms is not None
    # Late tokens go out at once, so on a busy machine gaps may be none; but none goes out early.
    assert took >= TOKENS / 200.0


async def test_streams_that_come_short_are_broken_and_give_no_figure() -> None:
    async with _canned() as url:
        assert await _listened(url, TOKENS + 1) == Gaps(0, None, None, 3)


async def test_nobody_there_is_broken_streams_too() -> None:
    async with _canned() as url:
        pass
    assert await _listened(url, TOKENS) == Gaps(0, None, None, 3)


async def test_the_canned_control_takes_reports_and_the_canned_engine_is_one() -> None:
    async with _canned() as url, httpx.AsyncClient(base_url=url, trust_env=False) as client:
        assert (await client.post("/v1/routers/bench/report", content=b"{}")).status_code == 204
        assert (await client.get("/v1/models")).json()["data"][0]["id"] == "canned"
        assert (await client.get("/health")).status_code == 200


def test_an_event_is_one_chunk() -> None:
    assert chunk(b"{}") == b"a\r\ndata: {}\n\n\r\n"
