"""The server over real sockets, on asyncio's loop and on uvloop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator

import httpx
import msgspec
import pytest

from stack.router.header_fields import NO_LINES, header_lines
from stack.router.message import ClientGoneError, Handler, Limits, Request, Responder
from stack.router.wire import Server

TEXT = header_lines(((b"content-type", b"text/plain"),))
GET = b"GET /a HTTP/1.1\r\nhost: x\r\n\r\n"


@contextlib.asynccontextmanager
async def serving(handler: Handler, limits: Limits | None = None) -> AsyncIterator[Server]:
    server = Server(handler, limits)
    await server.start("127.0.0.1", 0)
    try:
        yield server
    finally:
        await server.close()


@contextlib.asynccontextmanager
async def connected(server: Server) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
    reader, writer = await asyncio.open_connection(*server.address)
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def exchange(server: Server, data: bytes) -> bytes:
    """Everything the server says to `data`, until it closes."""
    async with connected(server) as (reader, writer), asyncio.timeout(60):
        writer.write(data)
        return await reader.read()


async def echo(request: Request, responder: Responder) -> None:
    await responder.send(200, TEXT, f"{request.method} {request.path} {request.query} {len(request.body)}".encode())


async def pieces(request: Request, responder: Responder) -> None:
    await responder.start(200, TEXT)
    for piece in (b"one", b"", b"two"):
        await responder.write(piece)
    await responder.finish()


async def test_an_answer_has_its_length_and_the_connection_stays() -> None:
    async with serving(echo) as server, connected(server) as (reader, writer):
        for _ in range(2):
            writer.write(GET)
            answer = await reader.readuntil(b"GET /a  0")
            assert answer == b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\nGET /a  0"


async def test_pipelined_requests_are_answered_in_order() -> None:
    async def slow_first(request: Request, responder: Responder) -> None:
        await asyncio.sleep(0.05 if request.path == "/1" else 0)
        await responder.send(200, NO_LINES, request.path.encode())

    async with serving(slow_first) as server:
        data = b"".join(b"GET /%d HTTP/1.1\r\nhost: x\r\n\r\n" % i for i in (1, 2)) + GET[:-2] + b"connection: close\r\n\r\n"
        answer = await exchange(server, data)
    assert [line for line in answer.replace(b"HTTP", b"\r\nHTTP").split(b"\r\n") if line.startswith(b"/")] == [b"/1", b"/2", b"/a"]


async def test_pieces_are_chunks() -> None:
    async with serving(pieces) as server:
        answer = await exchange(server, GET[:-2] + b"connection: close\r\n\r\n")
    assert answer == (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
        b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"
    )


async def test_http_1_0_gets_pieces_until_the_connection_closes() -> None:
    async with serving(pieces) as server:
        answer = await exchange(server, b"GET / HTTP/1.0\r\n\r\n")
    assert answer == b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nonetwo"


@pytest.mark.parametrize(
    ("handler", "framing"), [(echo, b"content-length: 10"), (pieces, b"transfer-encoding: chunked")], ids=["whole", "pieces"]
)
async def test_head_gets_no_body(handler: Handler, framing: bytes) -> None:
    async with serving(handler) as server:
        answer = await exchange(server, b"HEAD /a HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    assert answer == b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n%b\r\nconnection: close\r\n\r\n" % framing


async def test_a_client_that_waits_is_told_to_go_on() -> None:
    async with serving(echo) as server, connected(server) as (reader, writer):
        writer.write(b"POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 3\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"abc")
        assert (await reader.readuntil(b"POST /  3")).startswith(b"HTTP/1.1 200 OK\r\n")


async def test_a_body_that_is_too_large_is_refused_unread() -> None:
    async with serving(echo) as server:
        answer = await exchange(server, b"POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 100000000\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in head
    assert msgspec.json.decode(body) == {
        "error": {
            "message": "the request body is larger than 16777216 bytes",
            "type": "invalid_request_error",
            "param": None,
            "code": None,
        }
    }


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
async def test_a_client_that_sends_on_all_the_same_still_reads_the_refusal(chunked: bool) -> None:
    async def body() -> AsyncIterator[bytes]:
        for _ in range(800):
            yield bytes(65_536)

    headers = {} if chunked else {"content-length": str(800 * 65_536)}
    async with serving(echo) as server, httpx.AsyncClient() as client:
        host, port = server.address
        answer = await client.post(f"http://{host}:{port}/", content=body(), headers=headers)
    assert answer.status_code == 413
    assert answer.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("framing", "end"),
    [(b"content-length: 900\r\n\r\n", b""), (b"transfer-encoding: chunked\r\n\r\n384\r\n", b"\r\n0\r\n\r\n")],
    ids=["length", "chunked"],
)
async def test_a_large_request_is_refused_while_others_hold_all_memory_and_a_small_one_is_not(framing: bytes, end: bytes) -> None:
    head = b"POST /a HTTP/1.1\r\nhost: x\r\n" + framing
    async with serving(echo, Limits(held_bytes=1000, connections=4)) as server, connected(server) as (reader, writer):
        for _ in range(2):  # what was held is given back with the answer
            writer.write(head + b"a" * 800)
            await asyncio.sleep(0.05)
            assert (await exchange(server, head + b"a" * 300)).startswith(b"HTTP/1.1 503 ")
            small = await exchange(server, b"POST /b HTTP/1.0\r\ncontent-length: 5\r\n\r\nhello")
            assert small.endswith(b"POST /b  5")
            writer.write(b"a" * 100 + end)
            assert (await reader.readuntil(b"POST /a  900")).startswith(b"HTTP/1.1 200 ")


async def test_a_refused_request_ends_its_connection() -> None:
    async with serving(echo) as server:
        answer = await exchange(server, GET + b"GET / HTTP/1.1\r\n\r\n" + GET)
    assert answer.count(b"HTTP/1.1 ") == 2
    assert b"HTTP/1.1 400 Bad Request" in answer


async def test_a_slow_head_and_a_slow_body_run_out_of_time() -> None:
    limits = Limits(head_timeout_s=0.05, body_timeout_s=0.05)
    async with serving(echo, limits) as server:
        heads = await exchange(server, b"GET / HT")
        bodies = await exchange(server, b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nabc")
    assert heads.startswith(b"HTTP/1.1 408 ")
    assert bodies.startswith(b"HTTP/1.1 408 ")


async def test_an_idle_connection_is_closed_without_a_word() -> None:
    async with serving(echo, Limits(idle_timeout_s=0.05)) as server:
        assert await exchange(server, b"") == b""


async def test_an_answer_may_take_longer_than_a_connection_may_be_idle() -> None:
    async def late(request: Request, responder: Responder) -> None:
        await asyncio.sleep(0.1)
        await responder.send(200, NO_LINES, b"late")

    async with serving(late, Limits(idle_timeout_s=0.05)) as server:
        assert (await exchange(server, GET)).endswith(b"late")


async def test_a_connection_too_many_is_told_so() -> None:
    async with serving(echo, Limits(connections=1)) as server, connected(server):
        assert (await exchange(server, b"")).startswith(b"HTTP/1.1 503 ")


async def test_the_handler_is_cancelled_when_its_client_leaves() -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def forever(request: Request, responder: Responder) -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            assert responder.disconnected.is_set()
            ended.set()

    async with serving(forever) as server:
        async with connected(server) as (_, writer):
            writer.write(GET)
            await began.wait()
        await asyncio.wait_for(ended.wait(), 60)
        assert server.in_flight == 0


async def test_what_a_handler_does_after_its_answer_is_not_cancelled() -> None:
    answered, gone, booked = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def bookkeeper(request: Request, responder: Responder) -> None:
        await responder.send(200, NO_LINES, b"ok")
        answered.set()
        await responder.disconnected.wait()
        await gone.wait()
        booked.set()

    async with serving(bookkeeper) as server:
        async with connected(server) as (_, writer):
            writer.write(GET)
            await answered.wait()
        gone.set()
        await asyncio.wait_for(booked.wait(), 60)


async def test_a_writer_waits_for_a_slow_reader() -> None:
    written = 0

    async def flood(request: Request, responder: Responder) -> None:
        nonlocal written
        await responder.start(200, NO_LINES)
        for _ in range(1_000):
            await responder.write(bytes(65_536))
            written += 65_536
        await responder.finish()

    async with serving(flood) as server, connected(server) as (reader, writer):
        writer.write(GET)
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(0.2)
        assert written < 30_000_000
        total = 0
        while total < 65_536_000:
            total += len(await reader.read(1_000_000))
    assert written == 65_536_000


async def test_a_client_that_reads_nothing_is_cut_off() -> None:
    ended = asyncio.Event()

    async def flood(request: Request, responder: Responder) -> None:
        await responder.start(200, NO_LINES)
        try:
            while True:
                await responder.write(bytes(65_536))
        finally:
            ended.set()

    async with serving(flood, Limits(write_timeout_s=0.1)) as server, connected(server) as (_, writer):
        writer.write(GET)
        await asyncio.wait_for(ended.wait(), 60)


async def test_writing_to_a_client_that_left_says_so() -> None:
    result: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def stubborn(request: Request, responder: Responder) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        try:
            await responder.send(200, NO_LINES, b"too late")
        except ClientGoneError:
            result.set_result("gone")

    async with serving(stubborn) as server:
        async with connected(server) as (_, writer):
            writer.write(GET)
            await asyncio.sleep(0.05)
        assert await asyncio.wait_for(result, 60) == "gone"


async def test_a_failing_handler_gives_500_and_the_connection_stays(caplog: pytest.LogCaptureFixture) -> None:
    async def fails(request: Request, responder: Responder) -> None:
        raise LookupError("inside")

    async with serving(fails) as server:
        with caplog.at_level(logging.CRITICAL, "stack.router.attendant"):
            answer = await exchange(server, GET + GET[:-2] + b"connection: close\r\n\r\n")
    assert answer.count(b"HTTP/1.1 500 Internal Server Error\r\n") == 2
    assert b"inside" not in answer


@pytest.mark.parametrize("how", ["abort", "raise", "forget"])
async def test_a_broken_answer_never_looks_whole(how: str, caplog: pytest.LogCaptureFixture) -> None:
    async def breaks(request: Request, responder: Responder) -> None:
        await responder.start(200, TEXT)
        await responder.write(b"half")
        await asyncio.sleep(0.01)
        if how == "abort":
            responder.abort()
        elif how == "raise":
            raise LookupError("inside")

    async with serving(breaks) as server, connected(server) as (reader, writer):
        with caplog.at_level(logging.CRITICAL, "stack.router.attendant"), contextlib.suppress(ConnectionError):
            writer.write(GET)
            assert b"0\r\n\r\n" not in await reader.read()


async def test_a_header_with_a_line_break_is_never_written(caplog: pytest.LogCaptureFixture) -> None:
    async def split(request: Request, responder: Responder) -> None:
        await responder.send(200, header_lines(((b"x", b"a\r\nset-cookie: b"),)), b"")

    async with serving(split) as server:
        with caplog.at_level(logging.CRITICAL, "stack.router.attendant"):
            answer = await exchange(server, GET[:-2] + b"connection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 500 ")
    assert b"set-cookie" not in answer


async def test_draining_finishes_what_is_in_flight_and_takes_nothing_new() -> None:
    go, began = asyncio.Event(), asyncio.Event()

    async def waits(request: Request, responder: Responder) -> None:
        began.set()
        await go.wait()
        await responder.send(200, NO_LINES, b"done")

    async with serving(waits) as server, connected(server) as (reader, writer), connected(server) as (idle, _):
        address = server.address
        writer.write(GET)
        await began.wait()
        draining = asyncio.create_task(server.drain(5))
        assert await idle.read() == b""
        with pytest.raises(ConnectionError):
            await asyncio.open_connection(*address)
        go.set()
        assert (await reader.read()).endswith(b"\r\n\r\ndone")
        assert await draining


async def test_draining_ends_in_time_although_a_handler_does_not() -> None:
    began = asyncio.Event()

    async def forever(request: Request, responder: Responder) -> None:
        began.set()
        await asyncio.Event().wait()

    async with serving(forever) as server, connected(server) as (_, writer):
        writer.write(GET)
        await began.wait()
        assert not await server.drain(0.05)
        assert server.in_flight == 0


async def test_a_flood_of_pipelined_bytes_waits_in_the_kernel() -> None:
    go = asyncio.Event()
    answered = 0

    async def waits(request: Request, responder: Responder) -> None:
        nonlocal answered
        await go.wait()
        answered += 1
        await responder.send(204, NO_LINES, b"")

    async with serving(waits, Limits(read_ahead_bytes=1_000)) as server, connected(server) as (reader, writer):
        writer.write(GET * 10_000)
        await asyncio.sleep(0.05)
        go.set()
        answer = await asyncio.wait_for(reader.readexactly(len(b"HTTP/1.1 204 No Content\r\n\r\n") * 10_000), 60)
    assert answer == b"HTTP/1.1 204 No Content\r\n\r\n" * 10_000
    assert answered == 10_000
