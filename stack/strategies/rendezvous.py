"""Rendezvous hashing (highest random weight; Thaler and Ravishankar 1998): who joins or leaves moves only its own share."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import repeat

from xxhash import xxh3_64_intdigest

from stack.fleet.engine import Engine
from stack.strategies.line import Line


def weight(key: int, engine: str) -> int:
    """The 64-bit weight of one engine for one key; independent of all other engines."""
    return xxh3_64_intdigest(engine.encode(), key)


def key_of(text: str) -> int:
    """The 64-bit key of a text such as a session's name."""
    return xxh3_64_intdigest(text.encode())


def ranked(key: int, candidates: Sequence[Engine]) -> list[Engine]:
    """`candidates`, the key's home first; the order depends on names only."""
    return sorted(candidates, key=lambda engine: (weight(key, engine.name), engine.name), reverse=True)


def home(key: int, candidates: Sequence[Engine]) -> Engine:
    """The first of `ranked`, without ranking the rest."""
    names = candidates.encoded if isinstance(candidates, Line) else [engine.name.encode() for engine in candidates]
    weights = [*map(xxh3_64_intdigest, names, repeat(key))]
    best = max(weights)
    if weights.count(best) == 1:
        return candidates[weights.index(best)]
    return max(candidates, key=lambda engine: (weight(key, engine.name), engine.name))


def first(key: int, line: Line, count: int) -> list[Engine]:
    """The first few of `ranked`."""
    weights = [*map(xxh3_64_intdigest, line.encoded, repeat(key))]
    return [line[place] for place in heapq.nlargest(count, range(len(line)), key=weights.__getitem__)]
