"""What requests have shown of how fast engines are, as Prometheus samples: nothing of what only the profile says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from stack.adapters.instruments import samples
from stack.cache.rates import Part, RateBook
from stack.fleet.snapshot import Fleet
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.model.tier import Tier

_TIERS = {Part.L1: Tier.L1, Part.L2: Tier.L2}


@dataclass(frozen=True, slots=True, eq=False)
class RateCollector(Collector):
    """Reads snapshots only; scraping changes nothing and may run in a thread."""

    fleet: Callable[[], Fleet]
    rates: RateBook

    def register(self, registry: CollectorRegistry) -> None:
        """Take part in the scrapes of `registry`."""
        registry.register(self)

    def describe(self) -> Iterator[Metric]:
        """The families, without running a scrape."""
        yield from (samples(catalog.ROUTER_PREFILL_RATE), samples(catalog.ROUTER_TIER_RATE))

    def collect(self) -> Iterator[Metric]:
        """All samples as of now; an engine or tier of which requests have not shown enough has none."""
        prefill, tiers = samples(catalog.ROUTER_PREFILL_RATE), samples(catalog.ROUTER_TIER_RATE)
        for engine in self.fleet().engines:
            labels = {Label.MODEL_NAME.value: engine.target.model, Label.BACKEND.value: engine.name}
            learnt = self.rates.learnt(engine.name)
            if Part.PREFILL in learnt:
                prefill.add_sample(
                    catalog.ROUTER_PREFILL_RATE.name, labels | {Label.POOL.value: engine.pool.value}, learnt[Part.PREFILL]
                )
            for part, tier in _TIERS.items():
                if part in learnt:
                    tiers.add_sample(catalog.ROUTER_TIER_RATE.name, labels | {Label.TIER.value: tier.value}, learnt[part])
        yield prefill
        yield tiers
