"""Answers are read whole, in either framing, and a connection is used again; one that ends early is an error."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from stack.bench.changes.exchange import Answer, Exchange

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Kind: stream\r\n\r\n5\r\ndata:\r\n6\r\n [DON]\r\n0\r\n\r\n"
PLAIN = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\n{}"


@asynccontextmanager
async def serving(*answers: bytes) -> AsyncIterator[tuple[Exchange, list[int]]]:
    """One answer after the other, whoever asks; counts connections. A short one ends its connection."""
    left, connections = list(answers), [0]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections[0] += 1
        while left and await reader.readuntil(b"\r\n\r\nbody"):
            answer = left.pop(0)
            writer.write(answer)
            if answer not in (CHUNKED, PLAIN):
                break
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    exchange = Exchange(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", 5.0)
    async with server:
        yield exchange, connections
        await exchange.close()


async def ask(exchange: Exchange) -> Answer:
    return await exchange.post("/v1/chat/completions", {"content-type": "application/json"}, b"body")


async def test_answers_are_read_whole_and_connections_are_kept() -> None:
    async with serving(CHUNKED, PLAIN) as (exchange, connections):
        first, second = await ask(exchange), await ask(exchange)
    assert (first.status, first.content, first.headers["x-kind"]) == (200, b"data: [DON]", "stream")
    assert (second.status, second.content) == (503, b"{}")
    assert connections == [1]


@pytest.mark.parametrize("short", [CHUNKED[:-9], PLAIN[:-1], b"HTTP/1.1 200"])
async def test_an_answer_that_ends_early_is_an_error_and_its_connection_is_not_used_again(short: bytes) -> None:
    async with serving(short, PLAIN) as (exchange, connections):
        with pytest.raises(EOFError):
            await ask(exchange)
        assert (await ask(exchange)).status == 503
    assert connections == [2]
