"""A process's samples on their way to another one, and back into the text that Prometheus reads."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from stack.adapters.instruments import samples
from stack.metrics.catalog import CATALOG
from stack.metrics.merging import Exposed, Labels

_DECODER = msgspec.msgpack.Decoder(dict[str, list[tuple[str, Labels, float]]])


def collected(registry: CollectorRegistry) -> Exposed:
    """All samples of `registry`, by the catalogue's names."""
    return {
        metric.name + ("_total" if metric.type == "counter" else ""): [
            (sample.name, tuple(sample.labels.items()), float(sample.value)) for sample in metric.samples
        ]
        for metric in registry.collect()
    }


def encode(exposed: Exposed) -> bytes:
    """`exposed` for another process."""
    return msgspec.msgpack.encode(exposed)


def decode(message: bytes) -> Exposed:
    """What another process encoded. Raises msgspec.DecodeError."""
    return _DECODER.decode(message)


def text(exposed: Exposed) -> bytes:
    """`exposed` as Prometheus reads it."""
    registry = CollectorRegistry()
    registry.register(_Given(exposed))
    return generate_latest(registry)


class _Given(Collector):
    """Samples that were collected elsewhere."""

    def __init__(self, exposed: Exposed) -> None:
        self._exposed = exposed

    def describe(self) -> Iterator[Metric]:
        yield from ()

    def collect(self) -> Iterator[Metric]:
        for name, listed in self._exposed.items():
            metric = samples(CATALOG[name])
            for sample, labels, value in listed:
                metric.add_sample(sample, dict(labels), value)
            yield metric
