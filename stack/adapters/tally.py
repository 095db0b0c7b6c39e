"""Counters and histograms that one thread writes and scrapes read: a tenth of the cost of instruments that lock.

The event loop adds to plain numbers; a scrape, in a thread of its own, copies each of them whole.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import Generic, TypeVar

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from stack.metrics.family import Family, Kind

Cell = TypeVar("Cell")


class Count:
    """One series of a counter."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0.0

    def inc(self, amount: float = 1.0) -> None:
        """Add `amount`, which is not negative."""
        self.value += amount


class Spread:
    """One series of a histogram: how many values lie up to each bound, and their sum."""

    __slots__ = ("_bounds", "counts", "sum")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self.counts = [0] * len(bounds)
        self.sum = 0.0

    def observe(self, value: float) -> None:
        """Note one value."""
        self.counts[bisect_left(self._bounds, value)] += 1
        self.sum += value


class Tally(Collector, Generic[Cell]):
    """A family's series by their label values, in the order of the family's labels."""

    def __init__(self, family: Family, kind: Kind, registry: CollectorRegistry) -> None:
        if family.kind is not kind:
            raise ValueError(f"{family.name} is a {family.kind}, not a {kind}")
        self._family = family
        self._labels = [label.value for label in family.labels]
        self._cells: dict[tuple[str, ...], Cell] = {}
        registry.register(self)

    def __call__(self, *labels: str) -> Cell:
        """The series of these label values, made when it is new."""
        cell = self._cells.get(labels)
        if cell is None:
            if len(labels) != len(self._labels):
                raise ValueError(f"{self._family.name} has {len(self._labels)} labels, not {len(labels)}")
            cell = self._cells[labels] = self._new()
        return cell

    def drop(self, position: int, value: str) -> None:
        """End every series whose label at `position` is `value`."""
        for labels in [labels for labels in self._cells if labels[position] == value]:
            del self._cells[labels]

    def describe(self) -> Iterator[Metric]:
        """The family without its samples."""
        yield self._sampled([])

    def collect(self) -> Iterator[Metric]:
        """All samples as of now."""
        yield self._sampled(list(self._cells.items()))  # one step, so that no new series comes in between

    @abstractmethod
    def _new(self) -> Cell: ...

    @abstractmethod
    def _sampled(self, cells: list[tuple[tuple[str, ...], Cell]]) -> Metric: ...


class Counters(Tally[Count]):
    """A counter. Raises ValueError when the family is none."""

    def __init__(self, family: Family, registry: CollectorRegistry) -> None:
        super().__init__(family, Kind.COUNTER, registry)

    def _new(self) -> Count:
        return Count()

    def _sampled(self, cells: list[tuple[tuple[str, ...], Count]]) -> Metric:
        family = self._family
        sampled = CounterMetricFamily(
            family.name.removesuffix("_total"), family.help, labels=[label.value for label in family.labels]
        )
        for labels, count in cells:
            sampled.add_metric(labels, count.value)
        return sampled


class Spreads(Tally[Spread]):
    """A histogram. Raises ValueError when the family is none."""

    def __init__(self, family: Family, registry: CollectorRegistry) -> None:
        self._bounds = (*family.buckets, math.inf)
        self._shown = [floatToGoString(bound) for bound in self._bounds]  # type: ignore[no-untyped-call]  # not annotated upstream
        super().__init__(family, Kind.HISTOGRAM, registry)

    def _new(self) -> Spread:
        return Spread(self._bounds)

    def _sampled(self, cells: list[tuple[tuple[str, ...], Spread]]) -> Metric:
        family = self._family
        sampled = HistogramMetricFamily(family.name, family.help, labels=self._labels)
        for labels, spread in cells:
            buckets = list(zip(self._shown, accumulate(map(float, tuple(spread.counts))), strict=True))
            sampled.add_metric(labels, buckets, spread.sum)
            if self._bounds[0] < 0.0:  # then the library leaves out the sum, which may fall, and with it the count
                sampled.add_sample(f"{family.name}_count", dict(zip(self._labels, labels, strict=True)), buckets[-1][1])
        return sampled
