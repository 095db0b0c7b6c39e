"""What a foreign exposition said: samples by name, and sums over them that keep absent apart from zero."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of an exposition."""

    name: str
    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """A histogram summed over its series: cumulative `buckets` by upper bound, `sum`, `count`."""

    buckets: tuple[tuple[str, float], ...]
    sum: float
    count: float

    def scaled(self, factor: float) -> Histogram:
        """The same observations in another unit, each `factor` times as many. Counts stay."""
        bounds = tuple((le if math.isinf(float(le)) else f"{float(le) * factor:.12g}", below) for le, below in self.buckets)
        return Histogram(bounds, self.sum * factor, self.count)

    def bound(self, share: float) -> float | None:
        """The upper bound of the bucket that `share` (0 to 1) of the observations reach; infinite for the last, None of none."""
        due = share * self.count
        return next((float(le) for le, below in self.buckets if below >= due), None) if self.count else None

    def thinned(self, most: int) -> Histogram:
        """With `most` buckets at most, the last among them: cumulative buckets may be left out and stay true."""
        many = len(self.buckets)
        if many <= most:
            return self
        kept = sorted({round(place * (many - 1) / (most - 1)) for place in range(most)})
        return Histogram(tuple(self.buckets[place] for place in kept), self.sum, self.count)


class Samples:
    """The samples of one exposition. NaN, infinities and what is below zero are no numbers: what is read here counts or measures.

    A figure over several series has no value where one of them has no number: absent, not too small. Of a series that is
    told twice the first counts, as it does for Prometheus.
    """

    def __init__(self, samples: Iterable[Sample]) -> None:
        told: dict[str, dict[frozenset[tuple[str, str]], Sample]] = {}
        for sample in samples:
            told.setdefault(sample.name, {}).setdefault(frozenset(sample.labels.items()), sample)
        self._by_name = {name: list(series.values()) for name, series in told.items()}

    def __iter__(self) -> Iterator[Sample]:
        return (sample for same in self._by_name.values() for sample in same)

    def of(self, *aliases: str) -> list[Sample]:
        """The samples of the first alias that is present with a number; empty when none is."""
        return next((same for name in aliases if any(map(_counts, same := self._by_name.get(name, [])))), [])

    def total(self, *aliases: str) -> float | None:
        """The sum over all series of the first alias that is present, None when none is."""
        return _sum(self.of(*aliases))

    def mean(self, *aliases: str) -> float | None:
        """The mean over all series of the first alias that is present, None when none is."""
        found = self.of(*aliases)
        whole = _sum(found)
        return None if whole is None else whole / len(found)

    def by(self, label: str, *aliases: str) -> dict[str, float]:
        """Sums by the value of `label`, over the first alias that is present."""
        same: dict[str, list[Sample]] = {}
        for sample in self.of(*aliases):
            same.setdefault(sample.labels.get(label, ""), []).append(sample)
        return {value: whole for value, found in same.items() if (whole := _sum(found)) is not None}

    def histogram(self, name: str) -> Histogram | None:
        """The histogram `name` summed over its series, None without a sum and a count.

        Buckets are those that every series has. They are left out when the exposition has none, and when they cannot be a
        histogram's: without an infinite one that holds the count, without a bound, or falling.
        """
        total, counts = self.total(f"{name}_sum"), self.of(f"{name}_count")
        count = _sum(counts)
        if total is None or count is None:
            return None
        return Histogram(_buckets(self.of(f"{name}_bucket"), len(counts), count), total, count)


def _counts(sample: Sample) -> bool:
    return math.isfinite(sample.value) and sample.value >= 0


def _sum(samples: Sequence[Sample]) -> float | None:
    if not samples or not all(map(_counts, samples)):
        return None
    whole = sum(sample.value for sample in samples)
    return whole if math.isfinite(whole) else None


def _buckets(samples: Iterable[Sample], series: int, count: float) -> tuple[tuple[str, float], ...]:
    """Cumulative buckets that all of so many `series` have, by bound; none where they contradict themselves or `count`."""
    same: dict[float, list[Sample]] = {}
    for sample in samples:
        same.setdefault(_bound(sample.labels.get("le", "")), []).append(sample)
    if any(math.isnan(bound) for bound in same):
        return ()
    buckets = [(same[bound][0].labels["le"], _sum(same[bound])) for bound in sorted(same) if len(same[bound]) == series]
    told = [(bound, below) for bound, below in buckets if below is not None]
    below = [number for _, number in told]
    whole = math.inf in same and len(told) == len(buckets) and below == sorted(below) and below[-1:] == [count]
    return tuple(told) if whole else ()


def _bound(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
