"""Points as a Prometheus text exposition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from exporters.collector import Point
from stack.adapters.instruments import samples
from stack.engines.samples import Histogram
from stack.metrics.catalog import CATALOG
from stack.metrics.family import Label


def render(points: Iterable[Point]) -> bytes:
    """The exposition of `points`: families in the catalogue's order, each series once (the first point counts)."""
    return generate_latest(_Families(points))


class _Families(Collector):
    def __init__(self, points: Iterable[Point]) -> None:
        self._series: dict[str, dict[frozenset[tuple[Label, str]], Point]] = {}
        for point in points:
            self._series.setdefault(point.family.name, {}).setdefault(frozenset(point.labels.items()), point)

    def collect(self) -> Iterator[Metric]:
        for name, family in CATALOG.items():
            if name in self._series:
                metric = samples(family)
                for point in self._series[name].values():
                    _add(metric, point)
                yield metric


def _add(metric: Metric, point: Point) -> None:
    labels = {label.value: str(value) for label, value in point.labels.items()}
    if not isinstance(point.value, Histogram):
        metric.add_sample(point.family.name, labels, point.value)
        return
    for bound, count in point.value.buckets or (("+Inf", point.value.count),):
        metric.add_sample(f"{point.family.name}_bucket", {**labels, "le": bound}, count)
    metric.add_sample(f"{point.family.name}_count", labels, point.value.count)
    metric.add_sample(f"{point.family.name}_sum", labels, point.value.sum)
