"""The exporter's composition root: its collectors over a fleet, and its pages."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib.metadata import version

import httpx
from starlette.applications import Starlette
from starlette.routing import Route

import exporters.collectors  # registers every collector  # noqa: F401
from exporters import pages
from exporters.cache import Cache
from exporters.checked_transport import CheckedTransport
from exporters.collector import Context, Point, collectors, reads_urls
from exporters.fleet import Fleet, Source, health
from exporters.probe import Probes
from exporters.render import render
from exporters.scrape import Scraper
from exporters.servers import Servers
from exporters.settings import Settings
from exporters.target_files import TargetFiles
from stack.kube.discovery import EnginePods


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
    transport = transport or _network(settings.authority)
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
    readers = {name: collectors.create(name, context=context) for name in collectors if settings.runs(name)}
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


def _network(authority: ssl.SSLContext | None) -> httpx.AsyncBaseTransport:
    # Nothing is kept alive between scrapes: uvicorn, which vLLM and LMCache serve with, closes idle connections after 5 s,
    # just when a scrape 5 s later would use one.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    return httpx.AsyncHTTPTransport(verify=authority or True, trust_env=False, limits=limits)
