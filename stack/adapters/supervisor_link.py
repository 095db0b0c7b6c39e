"""How control and the command line talk to the supervisor: one JSON line each way over a unix socket.

Each connection carries one request and one answer. Only the supervisor starts and stops processes.
"""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path

import msgspec

from stack.control.room import Room

LINE_LIMIT = 4 << 20


class ComponentState(StrEnum):
    """A component's life as `kvdeck status` shows it."""

    STARTING = "starting"
    READY = "ready"
    STOPPED = "stopped"
    FAILED = "failed"
    HELD = "held"


class Component(msgspec.Struct, frozen=True, kw_only=True):
    """One process of the local stack. `failures` counts those in a row so far."""

    name: str
    kind: str
    url: str | None
    pid: int | None
    state: ComponentState
    detail: str = ""
    failures: int = 0


class SupervisorRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`op` is status | stop | start | add | remove | resize | shutdown.

    stop holds the component `name` down, start releases it; add starts one more engine in `pool` and
    answers with its name; remove ends the engine `name` for good (control has drained it before);
    resize restarts the cache server with `amount` bytes of L1, unless it has been started with as many;
    shutdown ends everything, the supervisor last.
    """

    op: str
    name: str | None = None
    pool: str | None = None
    amount: int | None = None


class SupervisorAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`error` is None on success, else one line that says what to do. `name` answers add.

    `rooms` by pool; where it is silent there is no limit. `resizes_l1`: there is a cache server to resize.
    """

    error: str | None = None
    name: str | None = None
    rooms: dict[str, Room] = {}
    resizes_l1: bool = False
    components: tuple[Component, ...] = ()


class SupervisorUnavailableError(ConnectionError):
    """Nobody answers on the supervisor's socket."""


async def ask(socket: Path, request: SupervisorRequest, timeout_seconds: float = 10.0) -> SupervisorAnswer:
    """One question to the supervisor. Raises SupervisorUnavailableError."""
    try:
        async with asyncio.timeout(timeout_seconds):
            return await _exchange(socket, request)
    except (OSError, TimeoutError, msgspec.DecodeError) as error:
        raise SupervisorUnavailableError(f"no supervisor answers at {socket}: {type(error).__name__}") from error


async def _exchange(socket: Path, request: SupervisorRequest) -> SupervisorAnswer:
    reader, writer = await asyncio.open_unix_connection(str(socket), limit=LINE_LIMIT)
    try:
        writer.write(msgspec.json.encode(request) + b"\n")
        await writer.drain()
        return msgspec.json.decode(await reader.readline(), type=SupervisorAnswer)
    finally:
        writer.close()
