"""What a foreign exposition said: samples by name, and sums over them that keep absent apart from zero."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
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
    """The finite samples of one exposition. NaN and infinities are no numbers and count as absent."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        self._by_name: dict[str, list[Sample]] = {}
        for sample in samples:
            if math.isfinite(sample.value):
                self._by_name.setdefault(sample.name, []).append(sample)

    def __iter__(self) -> Iterator[Sample]:
        return (sample for same in self._by_name.values() for sample in same)

    def of(self, *aliases: str) -> list[Sample]:
        """The samples of the first alias that is present; empty when none is."""
        return next((self._by_name[name] for name in aliases if name in self._by_name), [])

    def total(self, *aliases: str) -> float | None:
        """The sum over all series of the first alias that is present, None when none is."""
        found = self.of(*aliases)
        return sum(sample.value for sample in found) if found else None

    def mean(self, *aliases: str) -> float | None:
        """The mean over all series of the first alias that is present, None when none is."""
        found = self.of(*aliases)
        return sum(sample.value for sample in found) / len(found) if found else None

    def by(self, label: str, *aliases: str) -> dict[str, float]:
        """Sums by the value of `label`, over the first alias that is present."""
        sums: dict[str, float] = {}
        for sample in self.of(*aliases):
            key = sample.labels.get(label, "")
            sums[key] = sums.get(key, 0.0) + sample.value
        return sums

    def histogram(self, name: str) -> Histogram | None:
        """The histogram `name` summed over its series, None without a sum and a count.

        Buckets are left out when the exposition has none.
        """
        total, count = self.total(f"{name}_sum"), self.total(f"{name}_count")
        if total is None or count is None:
            return None
        buckets = self.by("le", f"{name}_bucket")
        return Histogram(tuple(sorted(buckets.items(), key=lambda bucket: float(bucket[0]))), total, count)
