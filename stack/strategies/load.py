"""What strategies share about load: the least loaded engine, and when an affinity costs more than it saves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stack.fleet.engine import Engine
from stack.strategies.base import EmptyPoolError


def refuse_empty(candidates: Sequence[Engine]) -> None:
    """Raises EmptyPoolError when there is nothing to choose from."""
    if not candidates:
        raise EmptyPoolError("no engine to choose from")


def least_loaded(candidates: Sequence[Engine], sequence: int) -> Engine:
    """The engine with the fewest requests in flight; among equals they take turns, by name and `sequence`."""
    fewest = min(engine.in_flight for engine in candidates)
    equals = sorted((engine for engine in candidates if engine.in_flight == fewest), key=lambda engine: engine.name)
    return equals[sequence % len(equals)]


@dataclass(frozen=True, slots=True)
class ImbalanceGuard:
    """An affinity gives way when its engine has both `limit` more requests than the idlest and `ratio` times as many.

    The limit keeps a quiet fleet from flapping (3 against 1 is nothing); the ratio keeps a busy one from it (108 against 100).
    """

    limit: int = 8
    ratio: float = 1.5

    def __post_init__(self) -> None:
        if self.limit < 0 or self.ratio < 1.0:
            raise ValueError(f"imbalance guard: limit {self.limit} must be >= 0 and ratio {self.ratio} >= 1")

    def trips(self, chosen: Engine, candidates: Sequence[Engine]) -> bool:
        """`chosen` is too far above the idlest of `candidates`."""
        idlest = min(engine.in_flight for engine in candidates)
        return chosen.in_flight - idlest > self.limit and chosen.in_flight > self.ratio * idlest
