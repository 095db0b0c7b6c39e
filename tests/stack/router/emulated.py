"""A router over emulated engines, and a gate that stops the second leg on its way to the decode engine."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from stack.emulator.fleet import Fleet
from stack.emulator.identity import EngineSpec
from stack.model.target import Target
from stack.model.tier import Pool
from stack.wiring.emulator import EmulatorSettings, build_fleet
from tests.stack.router.bench import RouterBench, fleet
from tests.stack.router.fakes import MODEL


@dataclass
class Emulated:
    """One emulated engine; its `url` is the gate's when there is one. It tells of its cache where there are `sockets`."""

    engines: Fleet
    name: str
    pool: Pool = Pool.DECODE
    gate: Gate | None = None
    healthy: bool = True
    adapters: tuple[str, ...] = ()
    root: str = "/m"
    sockets: Path | None = None
    url: str = ""

    @property
    def target(self) -> Target:
        url = self.url if self.gate is None else self.gate.url
        return Target(
            replica=self.name, url=url, pool=self.pool, model=MODEL, model_root=self.root, emulated=True, **self._endpoints
        )

    @property
    def _endpoints(self) -> dict[str, Any]:
        if self.sockets is None:
            return {}
        return {"kv_events": f"ipc://{self.sockets}/{self.name}.e", "replay": f"ipc://{self.sockets}/{self.name}.r"}

    async def start(self) -> None:
        spec = EngineSpec(pool=self.pool, port=0, model=MODEL, model_root=self.root, adapters=self.adapters, **self._endpoints)
        self.url = (await self.engines.start(self.name, spec)).url
        if self.gate is not None:
            await self.gate.start(self.url)

    async def stop(self) -> None:
        """End at once, as a killed process does."""
        if self.gate is not None:
            await self.gate.stop()
        await self.engines.stop(self.name, grace_seconds=0)

    async def busy(self) -> bool:
        """The engine itself says that it has requests, running or waiting."""
        return await self._any("vllm:num_requests_")

    async def keeps(self) -> bool:
        """The engine itself says that blocks of its are in use: for requests, or for a peer."""
        return await self._any("vllm:kv_cache_usage_perc")

    async def _any(self, name: str) -> bool:
        async with httpx.AsyncClient(trust_env=False) as client:
            lines = (await client.get(f"{self.url}/metrics")).text.splitlines()
        return any(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))


@dataclass
class Gate:
    """Passes connections on to an engine; a request with KV to fetch waits until `before_decode` is done.

    `after_prefill` is called when an answer that hands KV over has gone out.
    `cut_off`: it is given an address where its peer is not.
    """

    before_decode: Callable[[], Awaitable[Any]] | None = None
    after_prefill: Callable[[], Any] | None = None
    cut_off: bool = False
    url: str = ""
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self, url: str) -> None:
        self._host, port = url.removeprefix("http://").split(":")
        self._port = int(port)
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        await asyncio.sleep(0.01)  # a connection that was accepted just before begins to be served after it
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            engine_reader, engine_writer = await asyncio.open_connection(self._host, self._port)
            try:
                await asyncio.gather(self._forth(reader, engine_writer), self._back(engine_reader, writer))
            finally:
                await _cut(engine_writer)
        await _cut(writer)
        self._tasks.discard(task)

    async def _forth(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 20):
            if b'"do_remote_prefill":true' in data:
                if self.before_decode is not None:
                    await self.before_decode()
                if self.cut_off:
                    data = re.sub(rb'(?<="remote_port":)[0-9]+', lambda port: b"1" * len(port[0]), data)
            writer.write(data)
            await writer.drain()
        writer.transport.abort()

    async def _back(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 20):
            writer.write(data)
            if self.after_prefill is not None and b'"do_remote_prefill":true' in data:
                self.after_prefill()
            await writer.drain()
        writer.transport.abort()


async def _cut(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()
    with suppress(ConnectionError, asyncio.CancelledError):
        await writer.wait_closed()


@asynccontextmanager
async def emulated(tmp_path: Path, engines: Fleet, *members: Emulated, **settings: Any) -> AsyncIterator[RouterBench]:
    """The router over `members`."""
    try:
        async with fleet(tmp_path, *members, **settings) as bench:
            yield bench
    finally:
        await engines.close()


def home(time_scale: float) -> Fleet:
    """Where emulated engines live, so much slower than life."""
    return build_fleet(EmulatorSettings(host="127.0.0.1", port=0, profile="laptop-smollm2", time_scale=time_scale))
