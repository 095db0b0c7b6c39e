"""Which cores what runs on: the router has one to itself, load and back end share the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass


class OneCoreError(ValueError):
    """Router, load and back end would share one core: the figures would mean nothing."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Cores by number. `shared` says that there is one core for everything."""

    router: tuple[int, ...]
    others: tuple[int, ...]
    shared: bool = False


def place(cores: Iterable[int], siblings: Callable[[int], frozenset[int]], *, routers: int = 1, force: bool = False) -> Placement:
    """The last `routers` cores for the router, the rest for load and back end.

    Hardware threads that share a physical core with the router stay empty where others are left. Raises OneCoreError.
    """
    mine = sorted(set(cores))
    if len(mine) <= routers:
        if not force:
            raise OneCoreError(f"{len(mine)} usable core(s), but the router needs {routers} and load and back end another one")
        return Placement(tuple(mine), tuple(mine), shared=True)
    router, rest = tuple(mine[-routers:]), tuple(mine[:-routers])
    beside = frozenset().union(*map(siblings, router))
    return Placement(router, tuple(core for core in rest if core not in beside) or rest)
