"""Engines that live inside the emulator's process and are managed over its admin address."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import httpx
import msgspec

from stack.local.spec import StartError
from stack.model.target import Target

DEADLINE_SECONDS = 10.0
LOOK_SECONDS = 1.0


class _Spec(msgspec.Struct, frozen=True, kw_only=True):
    """The part of an engine's PUT body that varies here; the emulator refuses what it does not know."""

    pool: str
    port: int
    model: str
    model_root: str
    kv_events: str | None = None
    replay: str | None = None
    cache_server: str | None = None


class _Status(msgspec.Struct):
    replica: str
    state: str
    detail: str = ""


class _Listing(msgspec.Struct):
    engines: list[_Status]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmulatedEngine:
    """One engine to be: PUT begins it, DELETE ends it. `admin` is the emulator's address, `pid` tells its process."""

    client: httpx.AsyncClient
    admin: str
    target: Target
    pid: Callable[[], int | None]

    async def start(self, name: str) -> EmulatedLife:
        """Raises StartError."""
        target = self.target
        document = _Spec(
            pool=target.pool.value,
            port=int(target.url.rpartition(":")[2]),
            model=target.model,
            model_root=target.model_root,
            kv_events=target.kv_events,
            replay=target.replay,
            cache_server=target.cache_server,
        )
        life = EmulatedLife(self, name)
        await life.begin(msgspec.json.encode(document))
        return life


class EmulatedLife:
    """One engine from its PUT to its DELETE; it ends by itself when the emulator does."""

    def __init__(self, engine: EmulatedEngine, name: str) -> None:
        self._engine, self._name = engine, name
        self._url = f"{engine.admin}/engines"

    @property
    def pid(self) -> int | None:
        """The emulator's: the engine has no process of its own."""
        return self._engine.pid()

    async def begin(self, document: bytes) -> None:
        """Raises StartError."""
        try:
            answer = await self._engine.client.put(f"{self._url}/{self._name}", content=document, timeout=DEADLINE_SECONDS)
        except httpx.HTTPError as error:
            raise StartError(f"the emulator does not answer: {type(error).__name__}") from error
        if not answer.is_success:
            raise StartError(f"the emulator refused it: {answer.text[:200]}")

    async def wait(self) -> str:
        """Looks once a second whether the emulator still runs it."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                answer = await self._engine.client.get(self._url, timeout=DEADLINE_SECONDS)
                listed = msgspec.json.decode(answer.content, type=_Listing).engines
            except (httpx.HTTPError, msgspec.DecodeError):
                return "the emulator is gone"
            mine = next((engine for engine in listed if engine.replica == self._name), None)
            if mine is None:
                return "the emulator does not run it any more"
            if mine.state != "ready":
                return f"{mine.state}: {mine.detail}"

    async def stop(self) -> None:
        """The emulator gives requests under way a moment."""
        with suppress(httpx.HTTPError):  # an emulator that is gone took its engines along
            await self._engine.client.delete(f"{self._url}/{self._name}", timeout=DEADLINE_SECONDS)
