"""Which cores the engines of each pool run on: prefill and decode never share one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from stack.model.tier import Pool

_TOPOLOGY = Path("/sys/devices/system/cpu")


class TooFewCoresError(ValueError):
    """The machine cannot keep the pools apart; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Division:
    """The cores of each pool, by number. Both pools have all of them when there is no prefill pool to keep apart."""

    prefill: tuple[int, ...]
    decode: tuple[int, ...]

    def of(self, pool: Pool, index: int, engines: int) -> tuple[int, ...]:
        """The cores of engine number `index` of a pool planned for `engines`: its own while they last, else one shared."""
        cores = self.prefill if pool is Pool.PREFILL else self.decode
        share = max(1, len(cores) // max(1, engines))
        first = index * share % len(cores)
        return cores[first : first + share]


def divide(cores: Iterable[int], siblings: Callable[[int], frozenset[int]], dpd: bool, limit: int) -> Division:
    """Half of the physical cores for prefill, the rest for decode, at most `limit` threads each.

    Hardware threads of one core go to one pool where there are at least two cores. A prefill and a decode engine
    that share a core delay a disaggregated request's first token beyond the KV lease. Raises TooFewCoresError.
    """
    mine = sorted(set(cores))
    if not dpd:
        return Division(tuple(mine[:limit]), tuple(mine[:limit]))
    if len(mine) < 2:
        raise TooFewCoresError("prefill and decode engines need a core each and there is one: start with --prefill 0")
    physical = _grouped(mine, siblings)
    if len(physical) < 2:
        physical = [(core,) for core in mine]
    half = len(physical) // 2
    return Division(_flat(physical[:half])[:limit], _flat(physical[half:])[:limit])


def usable_cores() -> tuple[int, ...]:
    """The cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def hardware_siblings(core: int) -> frozenset[int]:
    """The hardware threads of the physical core that `core` belongs to; itself alone where nothing is known."""
    try:
        text = (_TOPOLOGY / f"cpu{core}" / "topology" / "thread_siblings_list").read_text("ascii")
    except OSError:
        return frozenset({core})
    return frozenset(number for part in text.strip().split(",") for number in _numbers(part))


def _numbers(part: str) -> range:
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1)


def _grouped(cores: list[int], siblings: Callable[[int], frozenset[int]]) -> list[tuple[int, ...]]:
    groups: dict[frozenset[int], list[int]] = {}
    for core in cores:
        groups.setdefault(siblings(core), []).append(core)
    return [tuple(group) for group in groups.values()]


def _flat(groups: list[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(core for group in groups for core in group)
