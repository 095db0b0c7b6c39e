"""What `kvdeck doctor` looks at: a fleet that is named, or the stack that runs on this machine."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from stack.adapters.http_access import Access
from stack.doctor.engine_facts import ask_engines
from stack.doctor.examination import Result, examine
from stack.doctor.facts import Facts, Process, Prometheus
from stack.doctor.kubernetes_facts import Cluster, ask_cluster
from stack.doctor.listening import here
from stack.doctor.server_facts import ask_cache_server, ask_prometheus, ask_store
from stack.kube.access import from_kubeconfig, in_cluster
from stack.kube.engine_pods import Selection
from stack.local.asking import listed
from stack.local.components import lmcache as lmcache_server
from stack.local.components import store as store_server
from stack.local.home import home_layout
from stack.model.target import Target, decode


@dataclass(frozen=True, slots=True)
class Pods:
    """Which pods are engines, and the kubeconfig file to ask by; None: as this pod's service account."""

    selection: Selection
    kubeconfig: Path | None


@dataclass(frozen=True, slots=True)
class Fleet:
    """Where its parts are; None is what is not given, and stays unknown. `access`: how Prometheus is asked, None is plainly."""

    targets: Sequence[Target]
    lmcache: str | None
    store: str | None
    prometheus: str | None
    pods: Pods | None = None
    access: Access | None = None


def fleet(
    targets: Path | None,
    lmcache: str | None,
    store: str | None,
    prometheus: str | None,
    pods: Pods | None = None,
    access: Access | None = None,
) -> Fleet:
    """The fleet as given; with nothing given the stack that runs here. Raises OSError, TargetFileError."""
    if any(given is not None for given in (targets, lmcache, store, prometheus, pods)):
        return Fleet(_read(targets) if targets is not None else (), lmcache, store, prometheus, pods, access)
    layout = home_layout()
    urls = {component.name: component.url for component in listed(layout)}
    return Fleet(_read(layout.targets), urls.get(lmcache_server.NAME), urls.get(store_server.NAME), urls.get("prometheus"))


def look(found: Fleet) -> tuple[Result, ...]:
    """Asks every part of `found`, and checks. Raises L2FormatError where its store is no URL of one.

    Raises AccessError, KubeError, ConnectionError where pods are engines and cannot be listed.
    """
    return asyncio.run(seen(found))


async def seen(found: Fleet) -> tuple[Result, ...]:
    """The same, in a loop that runs already."""
    return examine(await _facts(found))


async def _facts(found: Fleet) -> Facts:
    cluster = await _cluster(found.pods) if found.pods else None
    targets = [*found.targets, *(cluster.targets if cluster else ())]
    # Counts processor time over a second.
    machine = await asyncio.to_thread(here, [target.url for target in targets])

    def process_of(url: str) -> Process | None:
        told = cluster.processes.get(url) if cluster else None
        return told or machine.engine(url)

    async with httpx.AsyncClient(trust_env=False) as http:
        return Facts(
            await ask_engines(http, targets, process_of, time.time),
            await ask_cache_server(http, found.lmcache.rstrip("/")) if found.lmcache else None,
            await _prometheus(found.prometheus.rstrip("/"), found.access or Access()) if found.prometheus else None,
            await ask_store(found.store) if found.store else None,
            cluster.monitored if cluster else None,
        )


async def _prometheus(url: str, access: Access) -> Prometheus:
    async with access.async_client() as http:
        return await ask_prometheus(http, url)


async def _cluster(pods: Pods) -> Cluster:
    access = from_kubeconfig(pods.kubeconfig) if pods.kubeconfig else in_cluster(os.environ)
    try:
        return await ask_cluster(access, pods.selection)
    except httpx.HTTPError as error:
        raise ConnectionError(f"{access.url} does not answer: {type(error).__name__}") from error


def _read(path: Path) -> list[Target]:
    return decode(path.read_bytes(), foreign=True, as_yaml=path.suffix in {".yml", ".yaml"})
