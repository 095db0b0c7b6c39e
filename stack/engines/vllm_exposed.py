"""One vLLM engine's exposition with every quantity resolved once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

from stack.engines import vllm_names as names
from stack.engines import vllm_quantities as vq
from stack.engines.quantities import Quantity, resolve
from stack.engines.samples import Histogram, Samples
from stack.engines.versions import Version

K = TypeVar("K", bound=Hashable)


class Exposed:
    """Quantities by their value; `all` are they by name, with their states."""

    def __init__(self, samples: Samples, version: Version | None) -> None:
        block_tokens = _block_tokens(samples)
        self.samples = samples
        self.all = {quantity.name: resolve(quantity, samples, version, block_tokens) for quantity in vq.QUANTITIES}

    def number(self, quantity: Quantity) -> float | None:
        """What one that is no histogram amounts to, None where it is not told."""
        return self.all[quantity.name].number

    def numbers(self, quantities: Mapping[K, Quantity]) -> dict[K, float]:
        """Those of several that are told, none of them a histogram."""
        return {name: found for name, quantity in quantities.items() if (found := self.number(quantity)) is not None}

    def histogram(self, quantity: Quantity) -> Histogram | None:
        """What one that is a histogram holds, None where it is not told."""
        return self.all[quantity.name].histogram

    def histograms(self, quantities: Mapping[str, Quantity]) -> dict[str, Histogram]:
        """Those of several that are told."""
        return {name: found for name, quantity in quantities.items() if (found := self.histogram(quantity)) is not None}


def _block_tokens(samples: Samples) -> float | None:
    """Tokens of one KV block, where all ranks say the same."""
    sizes = {sample.labels.get("block_size", "") for sample in samples.of(names.CACHE_CONFIG_INFO.name)}
    size = sizes.pop() if len(sizes) == 1 else ""
    return float(size) if size.isascii() and size.isdigit() else None
