"""Puts one emulated engine together, and takes it apart."""

from __future__ import annotations

import asyncio
import socket
import time
import uuid
from dataclasses import dataclass
from functools import partial

import zmq

from stack.emulator.app import EngineApp
from stack.emulator.core import Core
from stack.emulator.engine import Clock, Engine
from stack.emulator.events import Journal
from stack.emulator.gauges import Exposition, cache_config
from stack.emulator.identity import EngineSpec, Identity
from stack.emulator.listener import Listener
from stack.emulator.profiles import Profile
from stack.emulator.publisher import KvPublisher
from stack.emulator.tiers import Tiers
from stack.emulator.tokens import Tokenizer
from stack.emulator.transfer import Fabric
from stack.engines import vllm_names as names


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an engine shares with others or is given from outside."""

    profile: Profile
    tiers: Tiers
    fabric: Fabric
    tokenizer: Tokenizer
    zmq: zmq.Context[zmq.Socket[bytes]]
    clock: Clock


class RunningEngine:
    """An engine on its port, with its scheduler and event publisher at work.

    Construction binds the engine's addresses; it raises OSError (zmq.ZMQError is one) when one is taken.
    """

    def __init__(self, replica: str, spec: EngineSpec, around: Surroundings) -> None:
        profile, started, woken = around.profile, time.time(), asyncio.Event()
        reports = around.tiers.reports
        describe = None if reports is None else partial(reports.described, spec.model_root)
        self._journal = Journal(profile.block_size, self._schedule_flush, describe)
        core = Core(spec.model, profile, around.tiers, around.fabric, around.tokenizer, self._journal, woken.set)
        core.telemetry.sheet.info(names.CACHE_CONFIG_INFO, cache_config(profile))
        self.engine = Engine(str(uuid.uuid4()), core, around.fabric, around.clock, woken)
        self._socket = socket.create_server((spec.host, spec.port))
        self._publisher = self._publish(replica, spec, around)
        port: int = self._socket.getsockname()[1]
        self.identity = Identity(replica=replica, spec=spec, port=port, started=started)
        around.fabric.join(self.engine.engine_id, self.identity.address, core.leases)
        exposition = Exposition(core.telemetry.sheet, core.scheduler, core.loads, core.memory, started)
        app = EngineApp(self.engine, self.identity, exposition, self._publisher, profile.max_model_len)
        self._listener = Listener(app.asgi)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Serve."""
        self.engine.on_death = self.abort
        await self._listener.start(self._socket)
        name = self.identity.replica
        self._tasks.append(asyncio.create_task(self.engine.run(), name=f"{name} steps"))
        if self._publisher is not None:
            self._tasks.append(asyncio.create_task(self._publisher.serve_replay(), name=f"{name} replay"))

    async def close(self, grace_seconds: float) -> None:
        """End the engine; requests under way have `grace_seconds`."""
        await self._listener.close(grace_seconds)
        self.abort("stopped")
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def abort(self, reason: str) -> None:
        """End it as a killed process ends. Harmless when it already did."""
        self.engine.stop(self.engine.death or reason)
        for task in self._tasks:
            task.cancel()
        self._listener.abort()
        if self._publisher is not None:
            self._publisher.close()
            self._publisher = None

    def _publish(self, replica: str, spec: EngineSpec, around: Surroundings) -> KvPublisher | None:
        if spec.kv_events is None:
            return None
        try:
            return KvPublisher(around.zmq, replica, spec.kv_events, spec.replay)
        except OSError:
            self._socket.close()
            raise

    def _schedule_flush(self) -> None:
        asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        batch = self._journal.take(time.time())
        if batch is not None and self._publisher is not None:
            self._publisher.publish(batch)
