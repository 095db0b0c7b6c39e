"""The shared store (Redis or Valkey): what it holds, may hold and evicted, and how it is, by its own word."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoPermissionError

from exporters.collector import Context, Point, Seen, collectors
from exporters.store_info import in_cluster, keys, points
from stack.engines.quantities import State
from stack.metrics import catalog
from stack.metrics.family import Label


@collectors.register("store")
class Store:
    """Asks each store for INFO, DBSIZE and PING; a store is one target, however many engines share it.

    A store that refuses INFO fails as a target; one that refuses one of the others lacks only that, and the
    quantity's state says so. Nodes of a cluster are stores of their own.
    """

    stage = 0

    def __init__(self, context: Context) -> None:
        urls = context.endpoints.get("store", {})
        # No retries: the next scrape is one. The guard's deadline bounds the calls.
        self._stores = {name: Redis.from_url(url, retry=Retry(NoBackoff(), 0), max_connections=1) for name, url in urls.items()}
        self._clock = context.clock

    def targets(self) -> Sequence[str]:
        return list(self._stores)

    async def read(self, target: str) -> Seen:
        store = self._stores[target]
        info = await store.info()  # first, so that PING is timed on an open connection
        found, states = list(points(target, info)), dict[str, State]()
        for quantity, ask in self._asked(target, store, info).items():
            try:
                found.append(await ask())
            except NoPermissionError:
                states[quantity] = State.ABSENT
            else:
                states[quantity] = State.PRESENT
        if in_cluster(info) is False:
            states["store_cluster"] = State.NOT_APPLICABLE
        return Seen(found, states)

    def unread(self, target: str) -> Sequence[Point]:
        return ()

    def forget(self, target: str) -> None:
        """Nothing is remembered of a target."""

    async def close(self) -> None:
        for store in self._stores.values():
            await store.aclose()

    def _asked(self, target: str, store: Redis, info: Mapping[str, Any]) -> dict[str, Callable[[], Awaitable[Point]]]:
        """What is asked for beside INFO, by the name of its quantity."""
        labels = {Label.REPLICA: target}

        async def ping() -> Point:
            start = self._clock()
            await store.execute_command("PING")  # type: ignore[no-untyped-call]  # redis leaves it untyped
            return Point(catalog.STORE_PING, labels, self._clock() - start)

        async def size() -> Point:
            return keys(target, await store.dbsize())

        async def cluster() -> Point:
            told = await store.execute_command("CLUSTER INFO")  # type: ignore[no-untyped-call]  # redis leaves it untyped
            return Point(catalog.STORE_CLUSTER_OK, labels, float(told["cluster_state"] == "ok"))

        always: dict[str, Callable[[], Awaitable[Point]]] = {"store_ping": ping, "store_keys": size}
        return always | {"store_cluster": cluster} if in_cluster(info) else always
