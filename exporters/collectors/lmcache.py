"""LMCache servers, LMCache inside engines by its own API server, and the coordinator: tiers, loads, and what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from exporters import lmcache_models, lmcache_points
from exporters.aside import aside
from exporters.bound import Bound
from exporters.collector import Context, Point, Seen, collectors
from exporters.ratchet import Ratchet
from exporters.served import served_names
from exporters.watch import Watch
from stack.adapters.exposition import ExpositionError, fetch, fetch_json
from stack.engines.lmcache import WANTED, Mode, Reading, l1_capacity_bytes, read
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.model.tier import Tier


@collectors.register("lmcache")
class LMCache:
    """Reads LMCache's servers, after the engines: so the look-ups behind every load an engine counted are seen."""

    stage = 1
    reads_urls = True

    def __init__(self, context: Context) -> None:
        self._context = context
        self._urls = context.endpoints.get("lmcache", {})
        self._watch = Watch(context.clock)
        self._capacities: dict[str, tuple[float | None, float]] = {}  # by server: the process it was asked of, and its answer
        self._models, self._adapters = Bound(), Bound()
        self._l2_asked: dict[tuple[str, str], Ratchet] = {}

    def targets(self) -> Sequence[str]:
        return list(self._urls)

    async def read(self, target: str) -> Seen:
        reading = read(await fetch(self._context.http, f"{self._urls[target]}/metrics", WANTED, turn=self._context.turn))
        if reading.mode is Mode.SILENT and reading.started is None:
            raise ExpositionError("no LMCache series")
        served = served_names(self._context.fleet())
        own = server_labels(target, served)
        found = [*self._of_models(target, reading, served), *lmcache_points.points(own, reading, partial(self._adapters, target))]
        capacity = await self._capacity(target, reading)
        if capacity is not None:
            found.append(Point(catalog.CACHE_CAPACITY_BYTES, {**own, Label.TIER: Tier.L1}, capacity))
        split = {root: hits for root, hits in reading.hits.items() if hits.l1 is not None}
        return Seen(found, self._watch.states(target, reading.exposed.all.values()), hits=split)

    def unread(self, target: str) -> Sequence[Point]:
        return ()

    def forget(self, target: str) -> None:
        self._capacities.pop(target, None)
        self._models.forget(target)
        self._adapters.forget(target)
        self._watch.forget(target)
        self._l2_asked = {key: ratchet for key, ratchet in self._l2_asked.items() if key[0] != target}

    async def close(self) -> None:
        """Nothing of its own is open."""

    def _of_models(self, server: str, reading: Reading, served: Mapping[str, str]) -> Sequence[Point]:
        def name(root: str) -> str:
            return served.get(root) or self._models(server, root)

        def held_up(model: str, asked: float, epoch: float) -> float:
            # The server may count a look-up between its two figures; a counter that steps back would look restarted.
            return self._l2_asked.setdefault((server, model), Ratchet()).at_least(asked, epoch)

        return list(lmcache_models.points({Label.REPLICA: server}, reading, name, held_up))

    async def _capacity(self, server: str, reading: Reading) -> float | None:
        """L1's size, asked once a process: it is a start-up flag. None while the server does not say."""
        if reading.mode not in {Mode.MULTI_PROCESS, Mode.SILENT}:  # they have no such page
            return None
        known = self._capacities.get(server)
        if known and known[0] == reading.started:
            return known[1]
        capacity = l1_capacity_bytes(await aside(fetch_json(self._context.http, f"{self._urls[server]}/status")))
        if capacity is not None:
            self._capacities[server] = (reading.started, capacity)
        return capacity


def server_labels(server: str, served: Mapping[str, str]) -> dict[Label, str]:
    """The server; and the model only where all engines serve one, for L1 is shared."""
    models = set(served.values())
    return {Label.REPLICA: server} | ({Label.MODEL_NAME: models.pop()} if len(models) == 1 else {})
