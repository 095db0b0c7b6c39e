"""Where tokens come from, and how that goes as metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from stack.adapters.instruments import samples
from stack.control.access import Grant
from stack.metrics.catalog import CONTROL_TOKEN_FILE_FAULTS


class Tokens(Protocol):
    """Who is let in, and how often a change of that could not be read."""

    @property
    def faults(self) -> int: ...

    def grants(self) -> Sequence[Grant]:
        """The tokens now."""
        ...


class TokenTelemetry(Collector):
    """Reads the count at each scrape."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def describe(self) -> Iterable[Metric]:
        return [samples(CONTROL_TOKEN_FILE_FAULTS)]

    def collect(self) -> Iterator[Metric]:
        family = samples(CONTROL_TOKEN_FILE_FAULTS)
        family.add_sample(CONTROL_TOKEN_FILE_FAULTS.name, {}, float(self._tokens.faults))
        yield family
