"""What `kvdeck doctor` looks at: a fleet that is named, or the stack that runs on this machine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from stack.doctor.engine_facts import ask_engines
from stack.doctor.examination import Result, examine
from stack.doctor.facts import Facts
from stack.doctor.listening import here
from stack.doctor.server_facts import ask_cache_server, ask_prometheus, ask_store
from stack.local.asking import listed
from stack.local.components import lmcache as lmcache_server
from stack.local.components import store as store_server
from stack.local.home import home_layout
from stack.model.target import Target, decode


@dataclass(frozen=True, slots=True)
class Fleet:
    """Where its parts are; None is what is not given, and stays unknown."""

    targets: Sequence[Target]
    lmcache: str | None
    store: str | None
    prometheus: str | None


def fleet(targets: Path | None, lmcache: str | None, store: str | None, prometheus: str | None) -> Fleet:
    """The fleet as given; with nothing given the stack that runs here. Raises OSError, TargetFileError."""
    if any(given is not None for given in (targets, lmcache, store, prometheus)):
        return Fleet(_read(targets) if targets is not None else (), lmcache, store, prometheus)
    layout = home_layout()
    urls = {component.name: component.url for component in listed(layout)}
    return Fleet(_read(layout.targets), urls.get(lmcache_server.NAME), urls.get(store_server.NAME), urls.get("prometheus"))


def look(found: Fleet) -> tuple[Result, ...]:
    """Asks every part of `found`, and checks. Raises L2FormatError where its store is no URL of one."""
    return examine(asyncio.run(_facts(found)))


async def _facts(found: Fleet) -> Facts:
    machine = here(target.url for target in found.targets)
    async with httpx.AsyncClient(trust_env=False) as http:
        return Facts(
            await ask_engines(http, found.targets, machine.engine, time.time),
            await ask_cache_server(http, found.lmcache.rstrip("/")) if found.lmcache else None,
            await ask_prometheus(http, found.prometheus.rstrip("/")) if found.prometheus else None,
            await ask_store(found.store) if found.store else None,
        )


def _read(path: Path) -> list[Target]:
    return decode(path.read_bytes(), foreign=True, as_yaml=path.suffix in {".yml", ".yaml"})
