"""The stand-in behind httpx without a socket, and behind a socket for whole processes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import uvicorn

from tests.stack.kube.stand_in.answers import Answer
from tests.stack.kube.stand_in.api_server import StandIn
from tests.stack.kube.stand_in.watching import CutError, Watch


class InProcess(httpx.AsyncBaseTransport):
    """What httpx asks goes straight to the stand-in; `broken` is raised instead while it is set."""

    def __init__(self, server: StandIn) -> None:
        self.server = server
        self.broken: Exception | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.broken is not None:
            raise self.broken
        answer = self.server.answer(
            request.method, request.url.path, dict(request.url.params), dict(request.headers), await request.aread()
        )
        if isinstance(answer, Watch):
            return httpx.Response(200, stream=_Lines(answer))
        return httpx.Response(answer.status, json=answer.document)


class _Lines(httpx.AsyncByteStream):
    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for line in self._watch.lines():
                yield line
        except CutError as error:
            raise httpx.ReadError("the connection was cut") from error


@asynccontextmanager
async def served(server: StandIn) -> AsyncIterator[str]:
    """The stand-in's URL on loopback while the context is open."""
    config = uvicorn.Config(_application(server), host="127.0.0.1", port=0, log_config=None, access_log=False, lifespan="off")
    process = uvicorn.Server(config)
    config.load()
    process.lifespan = config.lifespan_class(config)
    await process.startup()
    try:
        port = process.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.shelf.cut()
        process.force_exit = True
        await process.shutdown()


Send = Callable[[dict[str, Any]], Awaitable[None]]


def _application(server: StandIn) -> Any:
    async def application(scope: dict[str, Any], receive: Callable[[], Awaitable[dict[str, Any]]], send: Send) -> None:
        body = b""
        while (message := await receive()).get("more_body", False):
            body += message["body"]
        body += message.get("body", b"")
        query = dict(httpx.QueryParams(scope["query_string"].decode()))
        headers = {key.decode(): value.decode() for key, value in scope["headers"]}
        await _send(server.answer(scope["method"], scope["path"], query, headers, body), receive, send)

    return application


async def _send(answer: Answer | Watch, receive: Callable[[], Awaitable[dict[str, Any]]], send: Send) -> None:
    head = {"type": "http.response.start", "status": answer.status if isinstance(answer, Answer) else 200}
    await send({**head, "headers": [(b"content-type", b"application/json")]})
    if isinstance(answer, Answer):
        await send({"type": "http.response.body", "body": json.dumps(answer.document).encode()})
        return
    gone = asyncio.ensure_future(receive())
    telling = asyncio.ensure_future(_tell(answer, send))
    try:
        await asyncio.wait([gone, telling], return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        telling.cancel()
    # without an end of the body, which cuts the connection


async def _tell(watch: Watch, send: Send) -> None:
    async for line in watch.lines():
        await send({"type": "http.response.body", "body": line, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
