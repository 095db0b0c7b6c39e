"""What control doubted of the cache servers' reports, as metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from stack.adapters.instruments import samples
from stack.control.cache_directory import CacheDirectory
from stack.metrics.catalog import CONTROL_CACHE_DOUBTS


class CacheTelemetry(Collector):
    """Reads the directory's counts at each scrape."""

    def __init__(self, directory: CacheDirectory) -> None:
        self._directory = directory

    def describe(self) -> Iterable[Metric]:
        return [samples(CONTROL_CACHE_DOUBTS)]

    def collect(self) -> Iterator[Metric]:
        family = samples(CONTROL_CACHE_DOUBTS)
        for (tier, reason), count in self._directory.doubts.items():
            family.add_sample(CONTROL_CACHE_DOUBTS.name, {"tier": tier.value, "reason": reason.value}, float(count))
        yield family
