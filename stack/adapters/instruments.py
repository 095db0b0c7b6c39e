"""prometheus_client instruments and samples, made from the catalogue's families."""

from __future__ import annotations

import prometheus_client
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from stack.metrics.family import Family, Kind

# A second series a counter that nobody asked for; the switch is global in prometheus_client, so it is set once, here.
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]  # not annotated upstream


def counter(family: Family, registry: CollectorRegistry) -> Counter:
    """The counter of `family`, registered in `registry`. Raises ValueError when it is not a counter."""
    _expect(family, Kind.COUNTER)
    return Counter(family.name.removesuffix("_total"), family.help, _labels(family), registry=registry)


def samples(family: Family) -> CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily:
    """An empty family for a collector to fill anew in one scrape."""
    if family.kind is Kind.COUNTER:
        return CounterMetricFamily(family.name.removesuffix("_total"), family.help)
    if family.kind is Kind.GAUGE:
        return GaugeMetricFamily(family.name, family.help)
    return HistogramMetricFamily(family.name, family.help)


def _labels(family: Family) -> list[str]:
    return [label.value for label in family.labels]


def _expect(family: Family, kind: Kind) -> None:
    if family.kind is not kind:
        raise ValueError(f"{family.name} is a {family.kind}, not a {kind}")
