"""What the index of the engines' KV events knows, as Prometheus samples, built anew at each scrape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from stack.adapters.instruments import samples
from stack.cache.followed import Knowledge
from stack.cache.index import BlockIndex
from stack.cache.tier_index import TierIndex
from stack.fleet.engine import Engine
from stack.fleet.snapshot import Fleet
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.model.tier import Tier


@dataclass(frozen=True, slots=True, eq=False)
class IndexCollector(Collector):
    """Reads only; may run in a thread."""

    fleet: Callable[[], Fleet]
    index: BlockIndex
    tiers: TierIndex
    clock: Callable[[], float]

    def register(self, registry: CollectorRegistry) -> None:
        """Take part in the scrapes of `registry`."""
        registry.register(self)

    def describe(self) -> Iterator[Metric]:
        """The families, without running a scrape."""
        for family in (catalog.ROUTER_INDEX_BLOCKS, catalog.ROUTER_INDEX_KNOWLEDGE, catalog.ROUTER_INDEX_UNPLACED):
            yield samples(family)
        yield samples(catalog.ROUTER_TIER_UNKNOWN)

    def collect(self) -> Iterator[Metric]:
        """All samples as of now."""
        engines = self.fleet().engines
        yield self._blocks(engines)
        yield self._knowledge(engine for engine in engines if engine.target.publishes)
        yield self._unplaced(engines)
        yield self._unknown()

    def _blocks(self, engines: tuple[Engine, ...]) -> Metric:
        """Engines whose index is not trusted have no samples, and no engine has any of a tier it never spoke of."""
        family = samples(catalog.ROUTER_INDEX_BLOCKS)
        for engine in engines:
            for tier in Tier:
                if (blocks := self._held(engine, tier)) is not None:
                    family.add_sample(catalog.ROUTER_INDEX_BLOCKS.name, _labels(engine, Label.TIER, tier.value), float(blocks))
        return family

    def _held(self, engine: Engine, tier: Tier) -> int | None:
        server = engine.target.cache_server
        if server is None or tier is Tier.ENGINE:
            return self.index.blocks(engine.name, tier)
        chunks, chunk_tokens = self.tiers.chunks(server, tier, self.clock()), self.tiers.chunk_tokens(server)
        block_tokens = self.index.block_tokens(engine.name)
        return None if chunks is None or chunk_tokens is None or not block_tokens else chunks * chunk_tokens // block_tokens

    def _unknown(self) -> Metric:
        family = samples(catalog.ROUTER_TIER_UNKNOWN)
        for (tier, reason), count in list(self.tiers.unknown.items()):
            labels = {Label.TIER.value: tier.value, Label.REASON.value: reason.value}
            family.add_sample(catalog.ROUTER_TIER_UNKNOWN.name, labels, float(count))
        return family

    def _knowledge(self, engines: Iterator[Engine]) -> Metric:
        """All three states of each engine that publishes events, so that a sum over one of them is 0 and not absent."""
        family = samples(catalog.ROUTER_INDEX_KNOWLEDGE)
        for engine in engines:
            known = self.index.knowledge(engine.name)
            for state in Knowledge:
                labels = _labels(engine, Label.STATE, state.value)
                family.add_sample(catalog.ROUTER_INDEX_KNOWLEDGE.name, labels, float(known is state))
        return family

    def _unplaced(self, engines: tuple[Engine, ...]) -> Metric:
        family = samples(catalog.ROUTER_INDEX_UNPLACED)
        for engine in engines:
            for reason, blocks in list(self.index.unplaced(engine.name).items()):
                labels = _labels(engine, Label.REASON, reason.value)
                family.add_sample(catalog.ROUTER_INDEX_UNPLACED.name, labels, float(blocks))
        return family


def _labels(engine: Engine, label: Label, value: str) -> dict[str, str]:
    return {Label.MODEL_NAME.value: engine.target.model, Label.BACKEND.value: engine.name, label.value: value}
