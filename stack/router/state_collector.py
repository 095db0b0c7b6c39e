"""The router's present state as Prometheus samples, built anew at each scrape: an engine that left leaves no series behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from stack.adapters.instruments import samples
from stack.fleet.engine import Engine, Health
from stack.fleet.snapshot import Fleet
from stack.metrics import catalog
from stack.metrics.family import Family, Label
from stack.router.admission import Admission
from stack.router.applied import Configuration
from stack.router.in_flight import InFlight
from stack.router.records import RecordBuffer
from stack.router.stalls import Stalls


@dataclass(frozen=True, slots=True, eq=False)
class StateCollector(Collector):
    """Reads snapshots only; scraping changes nothing and may run in a thread."""

    fleet: Callable[[], Fleet]
    in_flight: InFlight
    configuration: Configuration
    records: RecordBuffer
    admission: Admission
    stalls: Stalls

    def register(self, registry: CollectorRegistry) -> None:
        """Take part in the scrapes of `registry`."""
        registry.register(self)

    def describe(self) -> Iterator[Metric]:
        """The families, without running a scrape."""
        yield from (
            samples(catalog.ROUTER_ENGINE_HEALTH),
            samples(catalog.ROUTER_ENGINE_STALLED),
            samples(catalog.ROUTER_IN_FLIGHT),
            samples(catalog.ROUTER_QUEUED),
            samples(catalog.ROUTER_GENERATION),
            samples(catalog.ROUTER_GENERATION_AGE),
            samples(catalog.ROUTER_RECORDS_DROPPED),
            samples(catalog.ROUTER_SENT_BYTES),
        )

    def collect(self) -> Iterator[Metric]:
        """All samples as of now."""
        engines = self.fleet().engines
        yield self._health(engines)
        yield self._of_each(catalog.ROUTER_ENGINE_STALLED, engines, self.stalls.seconds)
        yield self._of_each(catalog.ROUTER_IN_FLIGHT, engines, lambda name: self.in_flight.counts.get(name, 0))
        yield self._queued()
        yield _single(catalog.ROUTER_GENERATION, self.configuration.current.generation)
        age = self.configuration.age_seconds
        yield samples(catalog.ROUTER_GENERATION_AGE) if age is None else _single(catalog.ROUTER_GENERATION_AGE, age)
        yield _single(catalog.ROUTER_RECORDS_DROPPED, self.records.dropped_total)
        yield _single(catalog.ROUTER_SENT_BYTES, self.in_flight.sent.bytes)

    def _health(self, engines: tuple[Engine, ...]) -> Metric:
        """All three states of each engine, so that a sum over the ready ones is 0 and not absent when none is."""
        family = samples(catalog.ROUTER_ENGINE_HEALTH)
        for engine in engines:
            for health in Health:
                labels = _labels(engine) | {Label.STATE.value: health.value}
                family.add_sample(catalog.ROUTER_ENGINE_HEALTH.name, labels, float(engine.health is health))
        return family

    def _of_each(self, family: Family, engines: tuple[Engine, ...], told: Callable[[str], float]) -> Metric:
        made = samples(family)
        for engine in engines:
            made.add_sample(family.name, _labels(engine), float(told(engine.name)))
        return made

    def _queued(self) -> Metric:
        family = samples(catalog.ROUTER_QUEUED)
        for model in self.fleet().models:
            labels = {Label.MODEL_NAME.value: model}
            family.add_sample(catalog.ROUTER_QUEUED.name, labels, float(self.admission.queued(model)))
        return family


def _labels(engine: Engine) -> dict[str, str]:
    return {
        Label.MODEL_NAME.value: engine.target.model,
        Label.POOL.value: engine.pool.value,
        Label.BACKEND.value: engine.name,
    }


def _single(family: Family, value: float) -> Metric:
    made = samples(family)
    made.add_sample(family.name, {}, float(value))
    return made
