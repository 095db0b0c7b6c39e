"""The shared store (Redis or Valkey): what it holds, may hold and evicted, and how it is, by its own word."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ResponseError

from exporters.bound import Bound
from exporters.collector import Context, Point, Seen, collectors
from exporters.served import served_names
from exporters.store_info import in_cluster, keys, points
from exporters.store_sample import Sample
from exporters.store_walk import Walk
from stack.engines.quantities import State
from stack.metrics import catalog
from stack.metrics.family import Label

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Target:
    """A store's connection, and what is known of its keys from scrape to scrape; `walk` is None when none are looked at."""

    client: Redis
    walk: Walk | None
    sample: Sample = field(default_factory=Sample)


@collectors.register("store")
class Store:
    """Asks each store for INFO, DBSIZE and PING, and looks at some of its keys; a store is one target, whoever shares it.

    A store that refuses INFO fails as a target; one that refuses one of the others lacks only that, and the
    quantity's state says so. Nodes of a cluster are stores of their own.
    """

    stage = 0

    def __init__(self, context: Context) -> None:
        self._context = context
        self._stores = {name: self._target(url) for name, url in context.endpoints.get("store", {}).items()}
        self._bound = Bound()
        self._told: set[tuple[str, str]] = set()  # refusals that were logged: store and quantity

    def targets(self) -> Sequence[str]:
        return list(self._stores)

    async def read(self, target: str) -> Seen:
        store = self._stores[target]
        info = await store.client.info()  # first, so that PING is timed on an open connection
        found, states = list(points(target, info)), dict[str, State]()
        for quantity, ask in self._asked(target, store, info).items():
            try:
                told = await ask()
            except ResponseError as error:  # refused: by an access list, or since a managed store has no command of that name
                told = []
                self._refused(target, quantity, error)
            found += told
            states[quantity] = State.PRESENT if told else State.ABSENT
        if in_cluster(info) is False:
            states["store_cluster"] = State.NOT_APPLICABLE
        if store.walk is None:
            states["store_sample"] = State.NOT_APPLICABLE
        return Seen(found, states)

    def unread(self, target: str) -> Sequence[Point]:
        return ()

    def forget(self, target: str) -> None:
        if target in self._stores:
            self._stores[target].sample.forget()
        self._bound.forget(target)
        self._told = {(store, quantity) for store, quantity in self._told if store != target}

    async def close(self) -> None:
        for store in self._stores.values():
            await store.client.aclose()

    def _refused(self, target: str, quantity: str, error: ResponseError) -> None:
        """Once: in the metrics the quantity is absent, and this says why."""
        if (target, quantity) not in self._told:
            self._told.add((target, quantity))
            log.warning("store refuses a command", extra={"target": target, "quantity": quantity, "detail": str(error)[:200]})

    def _target(self, url: str) -> _Target:
        # No retries: the next scrape is one. The guard's deadline bounds the calls.
        client = Redis.from_url(url, retry=Retry(NoBackoff(), 0), max_connections=1)
        keys_a_scrape = self._context.store_sample
        return _Target(client, Walk(client, keys_a_scrape, self._context.clock) if keys_a_scrape else None)

    def _asked(self, target: str, store: _Target, info: Mapping[str, Any]) -> dict[str, Callable[[], Awaitable[list[Point]]]]:
        """What is asked for beside INFO, by the name of its quantity."""
        labels = {Label.REPLICA: target}

        async def ping() -> list[Point]:
            start = self._context.clock()
            await store.client.execute_command("PING")  # type: ignore[no-untyped-call]  # redis leaves it untyped
            return [Point(catalog.STORE_PING, labels, self._context.clock() - start)]

        async def size() -> list[Point]:
            return [keys(target, await store.client.dbsize())]

        async def cluster() -> list[Point]:
            told = await store.client.execute_command("CLUSTER INFO")  # type: ignore[no-untyped-call]  # redis leaves it untyped
            return [Point(catalog.STORE_CLUSTER_OK, labels, float(told["cluster_state"] == "ok"))]

        async def sample() -> list[Point]:
            return await self._sampled(target, store.sample, store.walk, store.client) if store.walk else []

        asked: dict[str, Callable[[], Awaitable[list[Point]]]] = {"store_ping": ping, "store_keys": size, "store_sample": sample}
        return asked | {"store_cluster": cluster} if in_cluster(info) else asked

    async def _sampled(self, target: str, sample: Sample, walk: Walk, client: Redis) -> list[Point]:
        """Whose KV it holds. Keys are counted again, for the walk took its time."""
        sample.take(await walk.step())
        served = served_names(self._context.fleet())
        return list(sample.points(target, await client.dbsize(), lambda root: self._bound(target, served.get(root, root))))
