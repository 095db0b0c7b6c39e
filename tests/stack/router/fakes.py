"""Small engines on real sockets that speak vLLM's dialect, and can be told to fail in every way the router must bear."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from stack.model.target import Target
from stack.model.tier import Pool

MODEL = "smollm2"
WORDS = ("Paris", " is", " old", ".")
TRANSFER = {"do_remote_prefill": True, "do_remote_decode": False, "remote_block_ids": [[1, 2]], "remote_engine_id": "e",
            "remote_host": "127.0.0.1", "remote_port": 5600, "remote_prefill_cached_tokens": 0}  # fmt: skip


@dataclass
class Seen:
    """One request as an engine got it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Exchange:
    """One request being answered by hand."""

    def __init__(self, seen: Seen, writer: asyncio.StreamWriter, reader: asyncio.StreamReader) -> None:
        self.seen = seen
        self._writer = writer
        self._reader = reader

    async def json(self, status: int, document: object) -> None:
        """A whole JSON answer."""
        body = json.dumps(document).encode()
        head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        await self.raw(head.encode() + body)

    async def start_stream(self) -> None:
        """The head of a stream, which vLLM sends before any token."""
        await self.raw(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n")

    async def event(self, data: object) -> None:
        """One server-sent event; a string goes as it is."""
        text = data if isinstance(data, str) else json.dumps(data)
        piece = f"data: {text}\n\n".encode()
        await self.raw(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")

    async def end_stream(self) -> None:
        await self.event("[DONE]")
        await self.raw(b"0\r\n\r\n")

    async def raw(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    def die(self) -> None:
        """Reset the connection, as a killed process does."""
        self._writer.transport.abort()

    async def hang(self) -> None:
        """Say nothing more until the other side leaves."""
        await self._reader.read()


Behaviour = Callable[["FakeEngine", Exchange], Awaitable[None]]


async def answer(engine: FakeEngine, exchange: Exchange) -> None:
    """What a healthy engine does."""
    body = exchange.seen.body
    if (body.get("kv_transfer_params") or {}).get("do_remote_decode"):
        await exchange.json(200, completion(body, words=WORDS[:1]) | {"kv_transfer_params": TRANSFER})
    elif body.get("stream"):
        await stream(engine, exchange)
    else:
        await exchange.json(200, completion(body))


async def stream(engine: FakeEngine, exchange: Exchange) -> None:
    """A whole stream, with usage at its end where it was asked for."""
    await exchange.start_stream()
    for number, word in enumerate(WORDS):
        await exchange.event(chunk(word))
        if number == 0:
            engine.first_token_out.set()
            await engine.go_on.wait()
    if (exchange.seen.body.get("stream_options") or {}).get("include_usage"):
        await exchange.event({"id": "c", "object": "chat.completion.chunk", "model": MODEL, "choices": [],
                              "usage": usage(exchange.seen.body), "metrics": metrics()})  # fmt: skip
    await exchange.end_stream()


def completion(body: dict[str, Any], words: tuple[str, ...] = WORDS) -> dict[str, Any]:
    """A whole answer."""
    text = "".join(words)
    choice = {"index": 0, "finish_reason": "stop"}
    spoken = {"message": {"role": "assistant", "content": text}} if "messages" in body else {"text": text}
    return {"id": "c", "object": "chat.completion", "model": MODEL, "choices": [choice | spoken],
            "usage": usage(body), "metrics": metrics()}  # fmt: skip


def chunk(word: str) -> dict[str, Any]:
    """One event of a stream."""
    return {"id": "c", "object": "chat.completion.chunk", "model": MODEL,
            "choices": [{"index": 0, "delta": {"content": word}}]}  # fmt: skip


def usage(body: dict[str, Any] | None = None, lost: bool = False) -> dict[str, Any]:
    """A prompt that came from a peer counts as cached, whole, unless the transfer was `lost`."""
    fetched = not lost and ((body or {}).get("kv_transfer_params") or {}).get("do_remote_prefill")
    cached = {"cached_tokens": 11 if fetched else 3}
    return {"prompt_tokens": 11, "completion_tokens": 4, "total_tokens": 15, "prompt_tokens_details": cached}


def metrics() -> dict[str, Any]:
    return {"queue_time_ms": 0.001, "time_to_first_token_ms": 0.002}


@dataclass
class FakeEngine:
    """One engine. `behave` answers its POSTs; `healthy` its /health; `go_on` holds streams after their first token.

    `tells` holds its list of models.
    """

    name: str
    pool: Pool = Pool.DECODE
    model: str = MODEL
    behave: Behaviour = answer
    healthy: bool = True
    seen: list[Seen] = field(default_factory=list)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    tells: asyncio.Event = field(default_factory=asyncio.Event)
    first_token_out: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.go_on.set()
        self.tells.set()

    @property
    def target(self) -> Target:
        return Target(replica=self.name, url=f"http://127.0.0.1:{self.port}", pool=self.pool, model=self.model, model_root="/m")

    async def start(self) -> None:
        """Listen; after a `stop` on the same port again."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Die: stop listening and reset every connection."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in tuple(self._writers):
            writer.transport.abort()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            # A connection that was accepted just before `stop` begins to be served after it.
            while self._server is not None and not writer.is_closing():
                await self._one(reader, writer)
        writer.transport.abort()
        with suppress(ConnectionError, asyncio.CancelledError):
            await writer.wait_closed()
        self.left.set()
        self._writers.discard(writer)
        self._tasks.discard(task)

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        seen = Seen(path, headers, json.loads(body) if body else {})
        exchange = Exchange(seen, writer, reader)
        if method == "GET":
            await self._read(exchange)
            return
        self.seen.append(seen)
        await self.behave(self, exchange)

    async def _read(self, exchange: Exchange) -> None:
        if exchange.seen.path == "/v1/models":
            await self.tells.wait()
            card = {"id": self.model, "object": "model", "owned_by": "vllm", "root": "/m", "max_model_len": 4096}
            await exchange.json(200, {"object": "list", "data": [card]})
        else:
            await exchange.json(200 if self.healthy else 503, {})
