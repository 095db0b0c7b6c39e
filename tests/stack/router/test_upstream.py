"""The client to engines, against servers that behave and servers that do not."""

from __future__ import annotations

import asyncio
import contextlib
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from stack.router.header_fields import NO_LINES, header_lines
from stack.router.message import Request, Responder
from stack.router.upstream import Upstream
from stack.router.upstream_errors import BrokenReplyError, ConnectError, ReplyTimeoutError
from stack.router.upstream_link import Link
from stack.router.wire import Server
from tests.stack.router.waiting import until

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
Talk = Callable[[StreamReader, StreamWriter], Awaitable[None]]


class Engine:
    """A server that says what a test tells it to; counts its connections and keeps the requests it read."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self.connections = 0
        self.url = ""
        self._tasks: set[asyncio.Task[Any]] = set()

    async def accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.connections += 1
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._talk(reader, writer)
        finally:
            writer.close()


@contextlib.asynccontextmanager
async def engine(talk: Talk) -> AsyncIterator[Engine]:
    played = Engine(talk)
    server = await asyncio.start_server(played.accept, "127.0.0.1", 0)
    played.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield played


@contextlib.asynccontextmanager
async def client(**settings: Any) -> AsyncIterator[Upstream]:
    upstream = Upstream(**settings)
    try:
        yield upstream
    finally:
        await upstream.close()


async def read_request(reader: StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
    return head + await reader.readexactly(length)


def answers(*answers: bytes, cut: bool = False) -> Talk:
    """Says one of `answers` after each request of a connection; `cut`: closes after the last one."""

    async def talk(reader: StreamReader, writer: StreamWriter) -> None:
        for answer in answers:
            await read_request(reader)
            writer.write(answer)
            await writer.drain()
        if not cut:
            await reader.read()

    return talk


async def ask(upstream: Upstream, url: str, *, retry_stale: bool = True, timeout_s: float = 5.0) -> tuple[int, bytes]:
    async with upstream.request(
        url,
        "POST",
        "/v1",
        header_lines([(b"a", b"b")]),
        b"{}",
        connect_timeout_s=5,
        timeout_s=timeout_s,
        retry_stale=retry_stale,
    ) as reply:
        return reply.status, await reply.read(1_000_000)


async def test_a_request_is_what_http_says_it_is() -> None:
    seen: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def talk(reader: StreamReader, writer: StreamWriter) -> None:
        seen.set_result(await read_request(reader))
        writer.write(OK)

    async with engine(talk) as played, client() as upstream:
        assert await ask(upstream, played.url) == (200, b"ok")
        host = played.url.removeprefix("http://").encode()
    assert await seen == b"POST /v1 HTTP/1.1\r\nhost: %b\r\na: b\r\ncontent-length: 2\r\n\r\n{}" % host


async def test_connections_are_kept_and_used_again() -> None:
    async with engine(answers(OK, OK, OK)) as played, client() as upstream:
        for _ in range(3):
            assert await ask(upstream, played.url) == (200, b"ok")
        assert played.connections == 1


async def test_requests_at_the_same_time_have_connections_of_their_own() -> None:
    async with engine(answers(OK, OK)) as played, client() as upstream:
        await asyncio.gather(*(ask(upstream, played.url) for _ in range(4)))
        assert played.connections == 4
        await asyncio.gather(*(ask(upstream, played.url) for _ in range(4)))
        assert played.connections == 4


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\no\r\n1;x=y\r\nk\r\n0\r\nt: u\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + OK,
        b"HTTP/1.0 200 OK\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nok",
        b"HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok",
    ],
    ids=["chunks", "interim answers", "HTTP/1.0", "until close", "no reason"],
)
async def test_every_framing_of_an_answer_is_read(answer: bytes) -> None:
    async with engine(answers(answer, cut=True)) as played, client() as upstream:
        assert await ask(upstream, played.url) == (200, b"ok")


async def test_an_answer_without_a_body_leaves_the_connection_usable() -> None:
    async with engine(answers(b"HTTP/1.1 204 No Content\r\n\r\n", OK)) as played, client() as upstream:
        assert await ask(upstream, played.url) == (204, b"")
        assert await ask(upstream, played.url) == (200, b"ok")
        assert played.connections == 1


async def test_pieces_come_as_they_are_sent() -> None:
    go = asyncio.Event()

    async def talk(reader: StreamReader, writer: StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nX-A: b\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n")
        await go.wait()
        writer.write(b"3\r\ntwo\r\n0\r\n\r\n")
        await reader.read()

    async with (
        engine(talk) as played,
        client() as upstream,
        upstream.request(played.url, "GET", "/", NO_LINES, connect_timeout_s=5, timeout_s=5) as reply,
    ):
        assert reply.header(b"x-a") == b"b"
        assert reply.header(b"x-b") is None
        assert await reply.piece(5) == b"one"
        go.set()
        assert [await reply.piece(5), await reply.piece(5)] == [b"two", None]


async def test_leaving_early_closes_the_connection() -> None:
    left = asyncio.Event()

    async def talk(reader: StreamReader, writer: StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n")
        try:
            await reader.read()
        finally:
            left.set()

    async with engine(talk) as played, client() as upstream:
        async with upstream.request(played.url, "GET", "/", NO_LINES, connect_timeout_s=5, timeout_s=5) as reply:
            assert await reply.piece() == b"one"
        await asyncio.wait_for(left.wait(), 60)


async def test_a_cancelled_request_closes_the_connection() -> None:
    began, left = asyncio.Event(), asyncio.Event()

    async def talk(reader: StreamReader, writer: StreamWriter) -> None:
        await read_request(reader)
        began.set()
        try:
            await reader.read()
        finally:
            left.set()

    async with engine(talk) as played, client() as upstream:
        task = asyncio.create_task(ask(upstream, played.url))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(left.wait(), 60)


@pytest.mark.parametrize("apart", [False, True])
async def test_a_cancellation_just_after_the_answer_does_not_take_it_back(apart: bool) -> None:
    """It strikes at the next wait; whether head and body come together or apart."""

    async def silent(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.read()

    read: list[bytes] = []
    async with engine(silent) as server, client() as upstream:
        limit = upstream.limits.start(5.0, "nothing within")

        async def request() -> None:
            reply = await upstream.ask(server.url, "POST", "/v1/x", NO_LINES, b"{}", limit, connect_timeout_s=1.0)
            read.append(await reply.read(100))
            reply.close()
            await asyncio.sleep(60)

        task = asyncio.create_task(request())
        await until(lambda: limit.guarding)
        link, head = limit._wait, OK[:-2]
        assert isinstance(link, Link)
        if apart:
            link.data_received(head)
            await asyncio.sleep(0)
        link.data_received(b"ok" if apart else OK)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        limit.drop()
    assert read == [b"ok"]


async def test_a_kept_connection_that_the_engine_closed_is_replaced_once() -> None:
    requests = 0

    async def talk(reader: StreamReader, writer: StreamWriter) -> None:
        nonlocal requests
        await read_request(reader)
        requests += 1
        writer.write(OK)
        await read_request(reader)  # and closes, as an engine does whose idle time ran out just then
        requests += 1

    async with engine(talk) as played, client() as upstream:
        assert await ask(upstream, played.url) == (200, b"ok")
        assert await ask(upstream, played.url) == (200, b"ok")
        assert (played.connections, requests) == (2, 3)


async def test_what_must_not_be_sent_twice_takes_a_fresh_connection() -> None:
    async with engine(answers(OK, cut=True)) as played, client() as upstream:
        for _ in range(2):
            assert await ask(upstream, played.url, retry_stale=False) == (200, b"ok")
        assert played.connections == 2


async def test_a_fresh_connection_that_closes_is_not_tried_again() -> None:
    async def talk(reader: StreamReader, writer: StreamWriter) -> None:
        await read_request(reader)

    async with engine(talk) as played, client() as upstream:
        with pytest.raises(BrokenReplyError) as caught:
            await ask(upstream, played.url)
        assert not caught.value.started
        assert played.connections == 1


async def test_an_answer_that_began_is_not_tried_again() -> None:
    async with engine(answers(OK, b"HTTP/1.1 20", cut=True)) as played, client() as upstream:
        assert await ask(upstream, played.url) == (200, b"ok")
        with pytest.raises(BrokenReplyError) as caught:
            await ask(upstream, played.url)
        assert caught.value.started
        assert played.connections == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n",
        b"HTTP/1.1 200 OK\r\na: " + b"b" * 100_000,
        b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 300 + b"\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    ],
    ids=["nonsense", "two lengths", "too short", "bad chunk", "no last chunk", "large head", "many headers", "upgrade"],
)
async def test_an_answer_that_is_no_http_is_a_broken_reply(answer: bytes) -> None:
    async with engine(answers(answer, cut=True)) as played, client() as upstream:
        with pytest.raises(BrokenReplyError):
            await ask(upstream, played.url)


async def test_bytes_after_an_answer_end_the_connection_not_the_answer() -> None:
    async with engine(answers(OK + OK)) as played, client() as upstream:
        assert await ask(upstream, played.url) == (200, b"ok")
        assert await ask(upstream, played.url) == (200, b"ok")
        assert played.connections == 2


async def test_times_run_out() -> None:
    async def silent(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.read()

    half = b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok"
    async with engine(silent) as mute, engine(answers(half)) as halting, client() as upstream:
        with pytest.raises(ReplyTimeoutError) as caught:
            await ask(upstream, mute.url, timeout_s=0.05)
        assert not caught.value.started
        async with upstream.request(halting.url, "GET", "/", NO_LINES, connect_timeout_s=5, timeout_s=5) as reply:
            assert await reply.piece(0.05) == b"ok"
            with pytest.raises(ReplyTimeoutError) as caught:
                await reply.piece(0.05)
        assert caught.value.started
        async with upstream.request(halting.url, "GET", "/", NO_LINES, connect_timeout_s=5, timeout_s=0.05) as reply:
            with pytest.raises(ReplyTimeoutError):
                await reply.read(100)


async def test_a_larger_answer_than_wanted_is_not_read() -> None:
    async with engine(answers(OK)) as played, client() as upstream:
        with pytest.raises(BrokenReplyError, match="larger than 1 bytes"):
            async with upstream.request(played.url, "GET", "/", NO_LINES, connect_timeout_s=5, timeout_s=5) as reply:
                await reply.read(1)


async def test_no_engine_is_a_connect_error() -> None:
    async with engine(answers(OK)) as played:
        url = played.url
    async with client() as upstream:
        for wrong in (url, "http://a b:1", "https://127.0.0.1:1", "127.0.0.1:1"):
            with pytest.raises(ConnectError):
                await ask(upstream, wrong)


async def test_an_engine_that_left_is_forgotten() -> None:
    async with engine(answers(OK, OK)) as played, client() as upstream:
        await ask(upstream, played.url)
        upstream.forget(played.url)
        await ask(upstream, played.url)
        assert played.connections == 2
        async with upstream.request(played.url, "GET", "/", NO_LINES, connect_timeout_s=5, timeout_s=5) as reply:
            upstream.forget(played.url)
            assert await reply.read(100) == b"ok"
        await ask(upstream, played.url)
        assert played.connections == 3


async def test_old_idle_connections_are_not_used() -> None:
    now = 0.0
    async with engine(answers(OK, OK)) as played, client(idle_s=4.0, clock=lambda: now) as upstream:
        await ask(upstream, played.url)
        now = 4.0
        await ask(upstream, played.url)
        assert played.connections == 2


async def test_no_more_idle_connections_than_wanted_are_kept() -> None:
    async with engine(answers(OK, OK)) as played, client(max_idle_per_engine=1) as upstream:
        await asyncio.gather(*(ask(upstream, played.url) for _ in range(3)))
        await asyncio.gather(*(ask(upstream, played.url) for _ in range(2)))
        assert played.connections == 4


async def test_a_slow_reader_makes_the_engine_wait() -> None:
    sent = 0

    async def talk(reader: StreamReader, writer: StreamWriter) -> None:
        nonlocal sent
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 65536000\r\n\r\n")
        for _ in range(1_000):
            writer.write(bytes(65_536))
            await writer.drain()
            sent += 65_536
        await reader.read()

    async with (
        engine(talk) as played,
        client() as upstream,
        upstream.request(played.url, "GET", "/", NO_LINES, connect_timeout_s=5, timeout_s=5) as reply,
    ):
        await asyncio.sleep(0.2)
        assert sent < 30_000_000
        total = 0
        while (piece := await reply.piece(5)) is not None:
            total += len(piece)
    assert total == 65_536_000


async def test_a_path_with_a_line_break_is_never_sent() -> None:
    async with engine(answers(OK)) as played, client() as upstream:
        with pytest.raises(ValueError, match="line break"):
            async with upstream.request(played.url, "GET", "/ HTTP/1.1\r\nc: d", NO_LINES, connect_timeout_s=5, timeout_s=5):
                pass
        assert played.connections == 0


async def test_it_speaks_with_our_own_server() -> None:
    async def handler(request: Request, responder: Responder) -> None:
        await responder.start(200, NO_LINES)
        await responder.write(request.body)
        await responder.finish()

    server = Server(handler)
    await server.start("127.0.0.1", 0)
    async with client() as upstream:
        url = "http://{}:{}".format(*server.address)
        for _ in range(2):
            assert await ask(upstream, url) == (200, b"{}")
    await server.close()
