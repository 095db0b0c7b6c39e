"""What strategies share about load: the least loaded engine, and what a request in flight costs the next one."""

from __future__ import annotations

from collections.abc import Sequence

from stack.fleet.engine import Engine
from stack.strategies.base import EmptyPoolError

# What one request in flight costs the next, in tokens to compute. A running request takes a slice of every step and,
# while it prefills, the whole of some: a few hundred tokens' worth on the engines measured. It also decides how much
# cache one waiting request is worth, so it errs on the side of keeping queues short.
TOKENS_PER_REQUEST = 256.0


def refuse_empty(candidates: Sequence[Engine]) -> None:
    """Raises EmptyPoolError when there is nothing to choose from."""
    if not candidates:
        raise EmptyPoolError("no engine to choose from")


def least_loaded(candidates: Sequence[Engine], sequence: int) -> Engine:
    """The engine with the fewest requests in flight; among equals they take turns, by name and `sequence`."""
    fewest = min(engine.in_flight for engine in candidates)
    equals = sorted((engine for engine in candidates if engine.in_flight == fewest), key=lambda engine: engine.name)
    return equals[sequence % len(equals)]
