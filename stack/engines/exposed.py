"""One exposition with every quantity that is asked of it resolved once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

from stack.engines.quantities import Quantity, resolve
from stack.engines.samples import Histogram, Samples
from stack.engines.versions import Version

K = TypeVar("K", bound=Hashable)


class Exposed:
    """Quantities by their value; `all` are they by name, with their states."""

    def __init__(
        self, samples: Samples, quantities: Iterable[Quantity], version: Version | None, block_tokens: float | None = None
    ) -> None:
        self.samples = samples
        self.all = {quantity.name: resolve(quantity, samples, version, block_tokens) for quantity in quantities}

    def number(self, quantity: Quantity) -> float | None:
        """What one that is no histogram amounts to, None where it is not told."""
        return self.all[quantity.name].number

    def numbers(self, quantities: Mapping[K, Quantity]) -> dict[K, float]:
        """Those of several that are told, none of them a histogram."""
        return {name: found for name, quantity in quantities.items() if (found := self.number(quantity)) is not None}

    def by(self, label: str, quantity: Quantity) -> dict[str, float]:
        """What a total (not in blocks) amounts to by the value of `label`; "" where its series have no such label."""
        told = self.all[quantity.name]
        if told.source is None:
            return {}
        alias = next((alias for alias in quantity.aliases if alias.name == told.source), None)
        if alias is None:  # nothing was counted yet, whatever the label's values are
            return {"": 0.0}
        sums: dict[str, float] = {}
        for sample in self.samples.of(alias.name):
            if alias.where is None or sample.labels.get(alias.where[0]) == alias.where[1]:
                key = sample.labels.get(label, "")
                sums[key] = sums.get(key, 0.0) + sample.value * alias.scale
        return sums

    def histogram(self, quantity: Quantity) -> Histogram | None:
        """What one that is a histogram holds, None where it is not told."""
        return self.all[quantity.name].histogram

    def histograms(self, quantities: Mapping[K, Quantity]) -> dict[K, Histogram]:
        """Those of several that are told."""
        return {name: found for name, quantity in quantities.items() if (found := self.histogram(quantity)) is not None}
