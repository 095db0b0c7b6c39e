"""The local supervisor is a pool scaler as every other."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from stack.adapters.pool_scaler import SupervisorScaler
from stack.adapters.supervisor_link import Component, ComponentState, SupervisorAnswer, SupervisorRequest
from stack.control.ports import PoolScaler
from tests.stack.control.scaler_conformance import MODEL, conforms


@dataclass
class Supervisor:
    """A supervisor's socket, with engines that are ready or gone when it is told to settle."""

    engines: dict[str, ComponentState] = field(default_factory=dict)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = msgspec.json.decode(await reader.readline(), type=SupervisorRequest)
        writer.write(msgspec.json.encode(self._answer(request)) + b"\n")
        await writer.drain()
        writer.close()

    def _answer(self, request: SupervisorRequest) -> SupervisorAnswer:
        match request.op:
            case "add":
                name = next(name for number in range(99) if (name := f"{request.pool}-{number}") not in self.engines)
                self.engines[name] = ComponentState.STARTING
                return SupervisorAnswer(name=name)
            case "remove" if request.name not in self.engines:
                return SupervisorAnswer(error=f"there is no {request.name}")
            case "remove":
                self.engines.pop(request.name or "")
        components = [
            Component(name=name, kind="engine", url=f"http://{name}", pid=1, state=state) for name, state in self.engines.items()
        ]
        return SupervisorAnswer(components=tuple(components))


class LocalRig:
    def __init__(self, socket: Path, supervisor: Supervisor, server: asyncio.Server) -> None:
        self.scaler: PoolScaler = SupervisorScaler(socket, MODEL)
        self._supervisor, self._server = supervisor, server

    async def settle(self) -> None:
        self._supervisor.engines = dict.fromkeys(self._supervisor.engines, ComponentState.READY)

    async def break_down(self) -> None:
        self._server.close()


async def test_the_local_supervisor_conforms() -> None:
    supervisor = Supervisor(dict.fromkeys(("prefill-0", "decode-0", "decode-1"), ComponentState.READY))
    with TemporaryDirectory(prefix="kvdeck-") as folder:  # short: unix socket paths are limited to 107 bytes
        socket = Path(folder) / "s"
        server = await asyncio.start_unix_server(supervisor.serve, socket)
        await conforms(LocalRig(socket, supervisor, server))
