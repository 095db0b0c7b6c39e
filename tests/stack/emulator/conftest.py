"""A fleet on real ports, a thousand times faster than life."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from stack.emulator.admin import Admin
from stack.emulator.fleet import Fleet
from stack.emulator.listener import Listener
from stack.wiring.emulator import EmulatorSettings, build_fleet, listening


@pytest.fixture
async def fleet() -> AsyncIterator[Fleet]:
    fleet = build_fleet(EmulatorSettings(host="127.0.0.1", port=0, profile="laptop-smollm2", time_scale=0.001))
    yield fleet
    await fleet.close()


@pytest.fixture
async def admin(fleet: Fleet) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the admin API."""
    bound, listener = listening("127.0.0.1", 0), Listener(Admin(fleet).asgi)
    await listener.start(bound)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{bound.getsockname()[1]}") as client:
        yield client
    await listener.close(0.0)


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    """A client for engines."""
    async with httpx.AsyncClient(timeout=20) as client:
        yield client


@pytest.fixture
def sockets() -> Iterator[Path]:
    """A folder with a short name: socket paths have at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="kv") as folder:
        yield Path(folder)
