"""The supervisor process: names what it is made of, holds its lock, runs until told to end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import httpx
import psutil
import yaml
from msgspec import to_builtins

from stack.adapters import logs
from stack.control.access import Grant, Role, digest
from stack.local import runtime_folder
from stack.local.atomic_file import replace_file
from stack.local.birth import birth
from stack.local.cache_making import CacheMaker
from stack.local.components.emulator import NAME as EMULATOR
from stack.local.components.emulator import emulated_engine
from stack.local.components.engine import engine
from stack.local.components.lmcache import configured_l1, lmcache
from stack.local.components.router import NAME as ROUTER
from stack.local.components.site import Site
from stack.local.components.whole import components, engine_counts
from stack.local.cores import Division, divide, hardware_siblings, usable_cores
from stack.local.engine_making import EngineMaker
from stack.local.engine_room import EngineRoom
from stack.local.housekeeping import keep_house
from stack.local.launch import Launch, read_launch
from stack.local.ledger import Entry, Ledger
from stack.local.link_server import listening
from stack.local.paths import StackPaths
from stack.local.probes import probing_client
from stack.local.process import MARK, Host
from stack.local.prometheus_config import Scraping, render
from stack.local.seats import Seats
from stack.local.spec import Stage
from stack.local.supervisor import NAME, Supervisor
from stack.local.supervisor_lock import only_supervisor
from stack.local.target_list import TargetList
from stack.local.timings import Timings
from stack.wiring.token import secret_token, write

log = logging.getLogger(__name__)

_OWN_ROLES = {ROUTER: Role.ROUTER}


def run(launch_file: Path) -> None:
    """Runs the stack that `launch_file` describes until told to end. Raises AlreadyRunningError, OSError, DecodeError."""
    logs.configure()
    launch = read_launch(launch_file)
    paths = StackPaths(launch.layout)
    runtime_folder.prepare(launch.layout.runtime)
    with only_supervisor(paths.lock):
        ledger = Ledger(paths.ledger)
        ledger.began(_own_entry())
        try:
            asyncio.run(_supervise(launch, paths, ledger))
        finally:
            runtime_folder.remove(launch.layout.runtime)
            ledger.ended(NAME)


def _own_entry() -> Entry:
    return Entry(name=NAME, kind=NAME, pid=os.getpid(), birth=birth(os.getpid()) or "", stage=max(Stage), grace=60.0)


async def _supervise(launch: Launch, paths: StackPaths, ledger: Ledger) -> None:
    layout = launch.layout
    async with probing_client() as client:
        site = _site(launch, ledger, client)
        _write_configuration(site)
        apart = site.has_prefill and not site.is_emulated
        division = divide(usable_cores(), hardware_siblings, apart, site.settings.cores_per_pool)
        supervisor = Supervisor(
            engine=_engine_maker(site, division, lambda: supervisor.pid(EMULATOR)),
            cache=None if site.is_emulated else CacheMaker(lambda amount: lmcache(site, amount), configured_l1(site)),
            space=None if site.is_emulated else _space(site, division),
            seats=Seats(site.ports.engines),
            targets=TargetList(layout.targets),
            timings=Timings(paths.timings),
            clock=time.monotonic,
        )
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, supervisor.close)
        house = asyncio.create_task(keep_house(layout.logs, supervisor.running), name="housekeeping")
        pools = [pool for pool, replicas in engine_counts(site).items() for _ in range(replicas)]
        try:
            async with listening(layout.supervisor_socket, supervisor.handle):
                await supervisor.run(components(site), pools)
        finally:
            house.cancel()
            await asyncio.gather(house, return_exceptions=True)


def _site(launch: Launch, ledger: Ledger, client: httpx.AsyncClient) -> Site:
    host = Host(
        logs=launch.layout.logs,
        ledger=ledger,
        environment=_environment(launch, os.environ),
        folder=launch.layout.home,
    )
    return Site(launch=launch, host=host, client=client)


def _environment(launch: Launch, inherited: Mapping[str, str]) -> dict[str, str]:
    """Ours, marked; a proxy that the user has is not for loopback."""
    bypassed = ",".join(filter(None, [inherited.get("NO_PROXY"), "127.0.0.1", "localhost"]))
    return {**inherited, MARK: launch.layout.runtime.name, "NO_PROXY": bypassed, "no_proxy": bypassed}


def _engine_maker(site: Site, division: Division, emulator_pid: Callable[[], int | None]) -> EngineMaker:
    if site.is_emulated:
        return lambda seat: emulated_engine(site, seat, emulator_pid)
    return lambda seat: engine(site, seat, division)


def _space(site: Site, division: Division) -> EngineRoom:
    return EngineRoom(
        available=lambda: psutil.virtual_memory().available,
        division=division,
        has_prefill=site.has_prefill,
        engines_per_core=site.settings.engines_per_core,
    )


def _write_configuration(site: Site) -> None:
    scraping = Scraping.of(
        site.ports,
        interval_seconds=site.settings.scrape_seconds,
        targets=site.layout.targets,
        rules=site.layout.alerts / "rules",
        emulated=site.is_emulated,
    )
    replace_file(site.prometheus_file, render(scraping).encode())
    _write_own_tokens(site)
    desired = {"desired": to_builtins(site.launch.config.desired)}
    replace_file(site.desired_file, yaml.safe_dump(desired, sort_keys=False).encode())


def _write_own_tokens(site: Site) -> None:
    """New ones at each start, where control wants any: what an old process kept opens nothing."""
    if not site.tokens:
        return
    grants = []
    for name, role in _OWN_ROLES.items():
        secret = secret_token()
        grants.append(Grant(name=f"kvdeck-{name}", role=role, sha256=digest(secret)))
        replace_file(site.rendered / f"{name}.token", f"{secret}\n".encode(), mode=0o600)
    write(site.own_tokens, grants)
