"""What strategies share about load: the least loaded engine, among equals in turn."""

from __future__ import annotations

from collections.abc import Sequence

from stack.fleet.engine import Engine
from stack.strategies.base import EmptyPoolError


def refuse_empty(candidates: Sequence[Engine]) -> None:
    """Raises EmptyPoolError when there is nothing to choose from."""
    if not candidates:
        raise EmptyPoolError("no engine to choose from")


def least_loaded(candidates: Sequence[Engine], sequence: int) -> Engine:
    """The engine with the fewest requests in flight; among equals they take turns, by name and `sequence`."""
    fewest = min([engine.in_flight for engine in candidates])
    equals = sorted([engine for engine in candidates if engine.in_flight == fewest], key=lambda engine: engine.name)
    return equals[sequence % len(equals)]
