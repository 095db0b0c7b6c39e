"""Other products' routers: what their metrics say that means the same in all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import stack.engines.routers  # registers every product  # noqa: F401
from exporters.collector import Context, Point, Seen, collectors
from stack.adapters.exposition import fetch
from stack.engines.routers.base import RouterReading, read, wanted
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.model.target import Target

UNLISTED = "unlisted"
_WANTED = wanted()


@collectors.register("routers")
class Routers:
    """Reads production-stack's router, vllm-router, sglang-router and HyperPod's sidecar; told apart by what they say."""

    stage = 0
    reads_urls = True

    def __init__(self, context: Context) -> None:
        self._context = context
        self._urls = context.endpoints.get("routers", {})

    def targets(self) -> Sequence[str]:
        return list(self._urls)

    async def read(self, target: str) -> Seen:
        product, reading = read(await fetch(self._context.http, f"{self._urls[target]}/metrics", _WANTED, turn=self._context.turn))
        return Seen(list(points(target, product, reading, replicas(self._context.fleet()))))

    def unread(self, target: str) -> Sequence[Point]:
        return ()

    def forget(self, target: str) -> None:
        """Nothing is remembered of a target."""

    async def close(self) -> None:
        """Nothing of its own is open."""


def replicas(fleet: Sequence[Target]) -> dict[str, str]:
    """Engines by URL, as routers name them."""
    return {target.url.rstrip("/"): target.replica for target in fleet}


def points(router: str, product: str, reading: RouterReading, listed: Mapping[str, str]) -> Iterator[Point]:
    """What one router says. `listed` are replicas by URL; a URL is never shown."""
    own = {Label.REPLICA: router, Label.PRODUCT: product}
    for family, value in (
        (catalog.FOREIGN_REQUESTS, reading.received),
        (catalog.FOREIGN_FAILED, reading.failed),
        (catalog.FOREIGN_DURATION, reading.duration),
        (catalog.FOREIGN_FIRST_BYTE, reading.first_byte),
        (catalog.FOREIGN_IN_FLIGHT, reading.own_in_flight),
    ):
        if value is not None:
            yield Point(family, own, value)
    for family, by_url in ((catalog.FOREIGN_SENT, reading.sent), (catalog.FOREIGN_IN_FLIGHT, reading.in_flight)):
        for backend, value in _by_replica(by_url, listed).items():
            yield Point(family, own | {Label.BACKEND: backend}, value)
    for url, healthy in reading.healthy.items():
        if (replica := listed.get(url.rstrip("/"))) is not None:
            yield Point(catalog.FOREIGN_HEALTHY, own | {Label.BACKEND: replica}, float(healthy > 0))


def _by_replica(by_url: Mapping[str, float], listed: Mapping[str, str]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for url, value in by_url.items():
        backend = listed.get(url.rstrip("/"), UNLISTED)
        sums[backend] = sums.get(backend, 0.0) + value
    return sums
