"""What tokenizing costs and what its caches save, as Prometheus samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from stack.adapters.instruments import samples
from stack.adapters.model_tokens import TokenUse
from stack.metrics import catalog
from stack.metrics.family import Label


@dataclass(frozen=True, slots=True, eq=False)
class TokenCollector(Collector):
    """Reads running totals only; scraping may run in a thread."""

    use: Callable[[], Iterable[TokenUse]]

    def describe(self) -> Iterator[Metric]:
        """The families, without samples."""
        yield samples(catalog.ROUTER_PROMPT_TOKENS)
        yield samples(catalog.ROUTER_TOKEN_CACHE_BYTES)

    def collect(self) -> Iterator[Metric]:
        """All samples as of now."""
        tokens, memory = samples(catalog.ROUTER_PROMPT_TOKENS), samples(catalog.ROUTER_TOKEN_CACHE_BYTES)
        for use in self.use():
            labels = {Label.MODEL_NAME.value: use.model}
            for source, count in (("cache", use.cached_tokens), ("computed", use.computed_tokens)):
                tokens.add_sample(catalog.ROUTER_PROMPT_TOKENS.name, labels | {Label.SOURCE.value: source}, float(count))
            memory.add_sample(catalog.ROUTER_TOKEN_CACHE_BYTES.name, labels, float(use.cache_bytes))
        yield tokens
        yield memory
