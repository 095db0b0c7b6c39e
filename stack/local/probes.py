"""Whether a component serves: asked over HTTP, as a Redis client, or by whether it stays up."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import httpx

from stack.local.spec import NotReadyError

# A component on a busy core may take seconds; longer than this it would serve nobody well either.
DEADLINE_SECONDS = 5.0
# Far above any first answer seen.
FIRST_ANSWER_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class HttpProbe:
    """Ready when GET `url` answers 200. `client` is shared: making one costs more than asking with it."""

    client: httpx.AsyncClient
    url: str

    async def ready(self) -> None:
        await self.alive()

    async def alive(self) -> None:
        status = (await _ask(self.client, "GET", self.url, DEADLINE_SECONDS)).status_code
        if status != 200:
            raise NotReadyError(f"HTTP {status}")


@dataclass(frozen=True, slots=True)
class EngineProbe:
    """Ready when an engine is healthy and has answered once.

    The first answer of a fresh engine is a slow one (a chat template is compiled, buffers are made): it should not
    be a client's.
    """

    client: httpx.AsyncClient
    url: str
    model: str

    async def ready(self) -> None:
        await self.alive()
        document = {
            "model": self.model,
            "messages": [{"role": "user", "content": "Hi"}],
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": 1,
        }
        answer = await _ask(self.client, "POST", f"{self.url}/v1/chat/completions", FIRST_ANSWER_SECONDS, document)
        if answer.status_code != 200:
            raise NotReadyError(f"healthy, but its first answer was HTTP {answer.status_code}")

    async def alive(self) -> None:
        await HttpProbe(self.client, f"{self.url}/health").alive()


@dataclass(frozen=True, slots=True)
class RedisProbe:
    """Ready when PING is answered with PONG (a store that still loads says otherwise)."""

    host: str
    port: int

    async def ready(self) -> None:
        await self.alive()

    async def alive(self) -> None:
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                answer = await self._ping()
        except (OSError, TimeoutError) as error:
            raise NotReadyError(_told(error)) from error
        if answer != b"+PONG\r\n":
            raise NotReadyError("does not answer PING")

    async def _ping(self) -> bytes:
        reader, writer = await asyncio.open_connection(self.host, self.port)
        try:
            writer.write(b"PING\r\n")
            return await reader.readline()
        finally:
            writer.close()


@dataclass(frozen=True, slots=True)
class StayProbe:
    """For what listens nowhere: ready when it has stayed up for `seconds` (its exit is noticed elsewhere)."""

    seconds: float = 2.0

    async def ready(self) -> None:
        await asyncio.sleep(self.seconds)

    async def alive(self) -> None:
        """Nothing to ask."""


def probing_client() -> httpx.AsyncClient:
    """A client for probes: no proxy, and no connection kept, which a restarted component would have closed."""
    return httpx.AsyncClient(trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))


async def _ask(
    client: httpx.AsyncClient, method: str, url: str, deadline: float, document: dict[str, Any] | None = None
) -> httpx.Response:
    try:
        async with asyncio.timeout(deadline):
            return await client.request(method, url, json=document, timeout=deadline)
    except (httpx.HTTPError, TimeoutError) as error:
        raise NotReadyError(_told(error)) from error


def _told(error: Exception) -> str:
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return "no answer in time"
    return "no connection yet" if isinstance(error, ConnectionError | httpx.ConnectError) else type(error).__name__
