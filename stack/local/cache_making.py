"""The cache server with another size of L1: made anew, and restarted by the supervisor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stack.local.engine_making import RefusedError
from stack.local.spec import Spec


@dataclass(slots=True)
class CacheMaker:
    """`make` gives the server with so many bytes of L1; `amount` is what it was started with last."""

    make: Callable[[int], Spec]
    amount: int


def resized(cache: CacheMaker | None, amount: int | None) -> Spec | None:
    """The server with `amount` bytes of L1, None when it has them already. Raises RefusedError."""
    if cache is None:
        raise RefusedError("this stack has no cache server to restart")
    if amount is None or amount <= 0:
        raise RefusedError("resize to how much? give the bytes of L1")
    if amount == cache.amount:
        return None
    cache.amount = amount
    return cache.make(amount)
