"""The exporter's composition root and its two pages."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import signal
import ssl
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from glob import glob
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

import exporters.collectors  # registers every collector  # noqa: F401
from exporters import pages
from exporters.allowed import NOTHING, Allowed
from exporters.basic_auth import BasicAuth
from exporters.cache import Cache
from exporters.checked_transport import CheckedTransport
from exporters.collector import Context, Point, collectors, reads_urls, runs_by_default
from exporters.fleet import Fleet, Source, health
from exporters.node import UNSEEN, Node
from exporters.probe import Probes
from exporters.render import render
from exporters.scrape import Scraper
from exporters.servers import Servers
from exporters.shard import WHOLE, Shard
from exporters.target_files import TargetFiles
from exporters.web_config import load, tls_options
from stack.kube.access import from_kubeconfig, in_cluster
from stack.kube.discovery import EnginePods
from stack.kube.engine_pods import Selection

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Settings:
    """What to read, for how long, and how to serve it. `targets` are files, or patterns of them, `endpoints` URLs by
    collector and target name.

    `telemetry` is the path of the metrics, `web` a file with TLS and passwords, `collectors` those that run (None: the default).
    With `cache_seconds` targets are read that often, and asking reads the last time's samples. `shard`: which of them are read.
    `pods` are engines and `cache_pods` LMCache servers on Kubernetes, asked for as `kubeconfig` says, or as this pod's service
    account.
    `probe` is what others may have read at /probe. `authority` vouches for targets of https; None: those the system trusts.
    `store_sample` is how many of a store's keys are looked at in a scrape, `expected_l2` the L2 every LMCache should use.
    """

    host: str
    port: int
    targets: Sequence[str]
    endpoints: Mapping[str, Mapping[str, str]]
    timeout_seconds: float
    telemetry: str = "/metrics"
    web: Path | None = None
    collectors: frozenset[str] | None = None
    cache_seconds: float | None = None
    shard: Shard = WHOLE
    store_sample: int = 200
    expected_l2: str | None = None
    node: Node = UNSEEN
    pods: Selection | None = None
    cache_pods: Selection | None = None
    kubeconfig: Path | None = None
    probe: Allowed = NOTHING
    authority: ssl.SSLContext | None = None

    @property
    def scrape_seconds(self) -> float:
        """What a scrape may take. One for the cache that took longer than the interval would bring samples that are old already."""
        return min(self.timeout_seconds, self.cache_seconds or math.inf)


def application(
    settings: Settings,
    clock: Callable[[], float] = time.monotonic,
    transport: httpx.AsyncBaseTransport | None = None,
    pods: EnginePods | None = None,
    cache_pods: EnginePods | None = None,
) -> Starlette:
    """The ASGI application: the metrics' page reads everything anew, /healthz says that the process answers.

    `transport` is how targets are reached; None means over the network. `pods` are engines and `cache_pods` LMCache servers;
    they are followed while the application runs.
    """
    sources: list[Source] = [TargetFiles(settings.targets)] if settings.targets else []
    sources += [] if pods is None else [pods]
    servers = Servers(settings.endpoints.get("lmcache", {}), cache_pods)
    fleet = Fleet(sources, settings.endpoints.get("engines", {}), servers)
    # Nothing is kept alive between scrapes: uvicorn, which vLLM and LMCache serve with, closes idle connections after 5 s,
    # just when a scrape 5 s later would use one.
    transport = transport or httpx.AsyncHTTPTransport(
        verify=settings.authority or True,
        trust_env=False,
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
    )
    client = httpx.AsyncClient(transport=transport, trust_env=False, timeout=settings.timeout_seconds)
    context = Context(
        client,
        fleet.now,
        {**settings.endpoints, "lmcache": servers},
        clock,
        fleet.learn,
        store_sample=settings.store_sample,
        expected_l2=settings.expected_l2,
        node=settings.node,
    )
    readers = {name: collectors.create(name, context=context) for name in collectors if _runs(settings, name)}
    timeout, shard = settings.scrape_seconds, settings.shard

    def look() -> Iterator[Point]:
        servers.refresh()
        fleet.refresh()
        return health(sources if cache_pods is None else [*sources, cache_pods])

    scraper = Scraper(readers, look, fleet.now, timeout, version("kvdeck"), clock, shard, servers.pods)
    cache = None if settings.cache_seconds is None else Cache(scraper.scrape, settings.cache_seconds, clock)

    async def document(patience_seconds: float) -> bytes:
        return render(await scraper.scrape(patience_seconds)) if cache is None else cache.document()

    routes = [Route(settings.telemetry, pages.metrics(document)), Route("/healthz", pages.healthz)]
    if settings.probe:
        network = CheckedTransport(settings.probe, transport)
        checked = httpx.AsyncClient(transport=network, trust_env=False, timeout=timeout)
        probes = Probes(replace(context, http=checked), timeout, version("kvdeck"))
        modules = frozenset(name for name in readers if reads_urls(name))
        routes.append(Route("/probe", pages.probing(probes, network, modules, timeout)))

    routes.append(Route("/", pages.landing([route.path for route in routes], version("kvdeck"))))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        beside = [asyncio.create_task(one.run()) for one in (cache, pods, cache_pods) if one is not None]
        yield
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        await scraper.close()
        await client.aclose()

    return Starlette(routes=routes, lifespan=lifespan)


def _runs(settings: Settings, collector: str) -> bool:
    return runs_by_default(collector) if settings.collectors is None else collector in settings.collectors


def _pods(selection: Selection | None, kubeconfig: Path | None) -> EnginePods | None:
    if selection is None:
        return None
    return EnginePods(from_kubeconfig(kubeconfig) if kubeconfig else in_cluster(os.environ), selection)


def guarded(app: ASGIApp, web: Path | None) -> tuple[ASGIApp, dict[str, Any]]:
    """The application behind the passwords of the web configuration, and what uvicorn is told of TLS. Raises WebConfigError."""
    if web is None:
        return app, {}
    found = load(web)
    behind = BasicAuth(app, found.basic_auth_users) if found.basic_auth_users else app
    return behind, {} if found.tls_server_config is None else tls_options(found.tls_server_config, web.parent)


def serve(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM. Raises WebConfigError, AccessError."""
    pods, cache_pods = (_pods(selection, settings.kubeconfig) for selection in (settings.pods, settings.cache_pods))
    app, tls = guarded(application(settings, pods=pods, cache_pods=cache_pods), settings.web)
    for pattern in settings.targets:
        if not glob(pattern):
            log.warning("target file not there yet", extra={"path": pattern})
    log.info("exporter listens", extra={"host": settings.host, "port": settings.port})
    # uvicorn raises the signal again once it has shut down: that end is a good one.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    # Who is answered when the end comes gets the time of a scrape; a reader that takes its answer byte by byte gets no more.
    ending = math.ceil(settings.timeout_seconds) + 1
    how = {"log_level": "warning", "access_log": False, "timeout_graceful_shutdown": ending, **tls}
    uvicorn.run(app, host=settings.host, port=settings.port, **how)
