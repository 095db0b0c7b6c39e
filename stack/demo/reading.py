"""What of the exporter's samples the demo goes by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stack.engines.samples import Samples
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.model.tier import Source, Tier

WANTED = frozenset({catalog.PROMPT_TOKENS.name, catalog.KV_TRANSFER_BYTES.name, catalog.CACHE_USED_RATIO.name})
"""Every sample name that is looked at here."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the exporter says of one engine: prompt tokens by source, and KV bytes it received."""

    sources: Mapping[Source, float]
    transferred_bytes: float

    @property
    def prompt_tokens(self) -> float:
        return sum(self.sources.values())


def readings(samples: Samples) -> dict[str, Reading]:
    """Each engine whose prompt tokens are told; one that could not be read is not there, for absent is not zero."""
    replicas = {sample.labels.get(Label.REPLICA, "") for sample in samples.of(catalog.PROMPT_TOKENS.name)}
    return {replica: _reading(samples, replica) for replica in replicas}


def used_ratio(samples: Samples, tier: Tier) -> float | None:
    """The highest share in use of the tier's memory, None where nobody tells."""
    told = [sample.value for sample in samples.of(catalog.CACHE_USED_RATIO.name) if sample.labels.get(Label.TIER) == tier]
    return max(told, default=None)


def _reading(samples: Samples, replica: str) -> Reading:
    families = catalog.PROMPT_TOKENS.name, catalog.KV_TRANSFER_BYTES.name
    own = Samples(sample for name in families for sample in samples.of(name) if sample.labels.get(Label.REPLICA) == replica)
    by_source = own.by(Label.SOURCE, catalog.PROMPT_TOKENS.name)
    received = own.total(catalog.KV_TRANSFER_BYTES.name) or 0.0
    return Reading({source: by_source.get(source.value, 0.0) for source in Source}, received)
