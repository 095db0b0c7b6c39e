"""What kvdeck takes from another router's exposition, and the registry every product's file registers in.

Only what means the same in all of them is read. Their windowed averages, their own guesses at an engine's cache and what
they repeat of the engines' metrics are left where they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from stack.engines.samples import Histogram, Samples
from stack.registry import Registry


class UnknownRouterError(ValueError):
    """An exposition of no router that is known here."""


@dataclass(frozen=True, slots=True)
class RouterReading:
    """One router at one moment, cumulative but for `in_flight` and `healthy`. None or a missing key is what it does not say.

    Engines are keyed as the router names them: by URL. `own_in_flight` is for a router that stands before one engine.
    """

    received: float | None = None
    failed: float | None = None
    duration: Histogram | None = None
    first_byte: Histogram | None = None
    sent: Mapping[str, float] = field(default_factory=dict)
    in_flight: Mapping[str, float] = field(default_factory=dict)
    healthy: Mapping[str, float] = field(default_factory=dict)
    own_in_flight: float | None = None


class Dialect(Protocol):
    """One product's names."""

    @property
    def mark(self) -> str:
        """A sample that this product has from its start, and no other has."""
        ...

    @property
    def wanted(self) -> frozenset[str]:
        """Every sample name that `read` looks at."""
        ...

    def read(self, samples: Samples) -> RouterReading:
        """The reading of one exposition."""
        ...


routers: Registry[Dialect] = Registry("router product")


def histogram_names(name: str) -> frozenset[str]:
    """The names of a histogram's samples."""
    return frozenset(f"{name}_{part}" for part in ("bucket", "sum", "count"))


def wanted() -> frozenset[str]:
    """Every sample name that some product's file looks at."""
    dialects = [routers.create(product) for product in routers]
    return frozenset(name for dialect in dialects for name in {dialect.mark, *dialect.wanted})


def read(samples: Samples) -> tuple[str, RouterReading]:
    """The product that speaks, and its reading. Raises UnknownRouterError."""
    for product in routers:
        dialect = routers.create(product)
        if samples.of(dialect.mark):
            return product, dialect.read(samples)
    raise UnknownRouterError(f"no router that is known here; known: {', '.join(routers)}")
