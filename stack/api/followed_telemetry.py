"""The file that is followed in declarative mode, as a metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from stack.adapters.instruments import samples
from stack.api.sight import Sight
from stack.control.mode import Stance
from stack.metrics.catalog import CONTROL_DESIRED_FILE_REFUSED


class FollowedTelemetry(Collector):
    """Whether it is in force, at each scrape; nothing where none is followed."""

    def __init__(self, stance: Stance, sight: Sight) -> None:
        self._stance, self._sight = stance, sight

    def describe(self) -> Iterable[Metric]:
        return [samples(CONTROL_DESIRED_FILE_REFUSED)]

    def collect(self) -> Iterator[Metric]:
        family = samples(CONTROL_DESIRED_FILE_REFUSED)
        if self._stance.file is not None:
            family.add_sample(CONTROL_DESIRED_FILE_REFUSED.name, {}, float(self._sight.desired_file is not None))
        yield family
