"""The emulator process: one loop, one admin port, any number of engines."""

from __future__ import annotations

import asyncio
import logging
import resource
import signal
import socket
import time
from dataclasses import dataclass

import httpx
import uvloop

from stack.emulator import tokens
from stack.emulator.admin import Admin
from stack.emulator.cache_reporter import CacheReporter
from stack.emulator.engine import Clock
from stack.emulator.fleet import Fleet
from stack.emulator.listener import Listener
from stack.emulator.profiles import PROFILES

log = logging.getLogger(__name__)

GRACE_SECONDS = 2.0


class EmulatorConfigError(ValueError):
    """The emulator cannot start as it was told to; the message is one line that says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmulatorSettings:
    """Where the admin API listens, the profile of engines that name none, and how much slower than life they run.

    `coordinator_url` is where the emulated cache server reports, as LMCache's do; None leaves its reports unsaid.
    """

    host: str
    port: int
    profile: str
    time_scale: float = 1.0
    coordinator_url: str | None = None


def run(settings: EmulatorSettings) -> None:
    """Serve until told to end. Raises EmulatorConfigError."""
    allow_many_files()
    with listening(settings.host, settings.port) as admin, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(settings, admin))


def listening(host: str, port: int) -> socket.socket:
    """A bound socket. Raises EmulatorConfigError."""
    try:
        return socket.create_server((host, port))
    except OSError as error:
        raise EmulatorConfigError(f"cannot listen on {host}:{port}: {error.strerror or error}") from error


def build_fleet(settings: EmulatorSettings) -> Fleet:
    """The engines' home, empty."""

    async def sleep_until(moment: float) -> None:
        await asyncio.sleep(max(0.0, moment - time.monotonic()))

    profiles = {name: profile.scaled(settings.time_scale) for name, profile in PROFILES.items()}
    return Fleet(profiles, settings.profile, tokens.load, Clock(time.monotonic, sleep_until))


def allow_many_files() -> None:
    """Every engine has a port and two event sockets: take what the system allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def _serve(settings: EmulatorSettings, admin: socket.socket) -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    fleet = build_fleet(settings)
    listener = Listener(Admin(fleet).asgi)
    await listener.start(admin)
    log.info("emulator listens", extra={"port": admin.getsockname()[1], "profile": settings.profile})
    async with httpx.AsyncClient(trust_env=False) as client:
        reporting = _reporting(settings, admin, fleet, client)
        try:
            await ended.wait()
        finally:
            log.info("emulator ends")
            for task in reporting:
                task.cancel()
            await asyncio.gather(*reporting, return_exceptions=True)
            await listener.close(GRACE_SECONDS)
            await fleet.close()


def _reporting(
    settings: EmulatorSettings, admin: socket.socket, fleet: Fleet, client: httpx.AsyncClient
) -> list[asyncio.Task[None]]:
    if settings.coordinator_url is None:
        return []
    host, port = admin.getsockname()[:2]
    reporter = CacheReporter(client, settings.coordinator_url, (host, port), lambda: fleet.reports)
    return [asyncio.create_task(reporter.run(), name="cache reports")]
