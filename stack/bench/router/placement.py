"""Which cores what runs on: the router has one to itself, load and back end share the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass


class OneCoreError(ValueError):
    """Router, load and back end would share one core: the figures would mean nothing."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Cores by number. `workers` are those of a router with several processes.

    `shared`: there is one core for everything. `crowded`: the workers run where load and back end do, too.
    """

    router: tuple[int, ...]
    others: tuple[int, ...]
    workers: tuple[int, ...] = ()
    shared: bool = False
    crowded: bool = False


def place(cores: Iterable[int], siblings: Callable[[int], frozenset[int]], *, workers: int = 1, force: bool = False) -> Placement:
    """The last core for a router of one process, the last `workers` for one of several, the rest for load and back end.

    Hardware threads that share a physical core with a router stay empty where others are left. Raises OneCoreError.
    """
    mine = tuple(sorted(set(cores)))
    if len(mine) < 2:
        if not force:
            raise OneCoreError("one usable core for router, load and back end")
        return Placement(mine, mine, mine, shared=True)
    crowded = len(mine) <= workers
    apart = mine[-1:] if crowded else mine[-workers:]
    rest = tuple(core for core in mine if core not in apart)
    beside = frozenset().union(*map(siblings, apart))
    others = tuple(core for core in rest if core not in beside) or rest
    return Placement(mine[-1:], others, mine if crowded else apart, crowded=crowded)
