"""Which engine was sent which prompt prefix lately: a guess at the engines' caches that needs no word from them."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from itertools import repeat

PIECES_PER_ENGINE = 16_384  # with 512-byte pieces about 2 million tokens: an engine with its tiers
BYTES_MAX = 64 << 20  # over all engines; some 20 engines' worth, of more each is remembered less
PIECE_BYTES = 180  # of one entry: its key and its time are objects, and a linked list and a table hold them; measured
AGE_SECONDS = 3600.0  # what was not asked for in an hour has made room for something else, or the engine is all but idle

JUST_NOW_S = 0.25  # a prompt that is asked again and again need not be noted each time


class LearntPrefixes:
    """For each engine the hashes of the prompt pieces it was sent, least recently used dropped first.

    Bounded by `pieces_per_engine`, which stands for what an engine and its tiers can hold, and by `bytes_max` over all
    engines. What an engine must have evicted by now is dropped here too, in the same order; what is older than
    `age_seconds` counts no more. Times are seconds of one clock.
    """

    def __init__(
        self, pieces_per_engine: int = PIECES_PER_ENGINE, bytes_max: int = BYTES_MAX, age_seconds: float = AGE_SECONDS
    ) -> None:
        if pieces_per_engine < 1 or bytes_max < PIECE_BYTES or age_seconds <= 0.0:
            raise ValueError(
                f"pieces_per_engine {pieces_per_engine}, bytes_max {bytes_max} and age_seconds {age_seconds} must be positive"
            )
        self._limit = pieces_per_engine
        self._bytes_max = bytes_max
        self._age = age_seconds
        self._engines: dict[str, OrderedDict[int, float]] = {}

    def matched(self, engine: str, hashes: Sequence[int], now: float) -> int:
        """How many leading pieces of `hashes` the engine was sent and should still hold."""
        held = self._engines.get(engine)
        if held is None:
            return 0
        oldest = now - self._age
        times = [at if at >= oldest else None for at in map(held.get, hashes, repeat(-math.inf))]
        return times.index(None) if None in times else len(times)

    def depths(self, hashes: Sequence[int], now: float) -> dict[str, int]:
        """How much `matched` is on each engine; those where nothing is are left out."""
        if not hashes:
            return {}
        first = hashes[0]
        holders = [engine for engine, held in self._engines.items() if first in held]
        depths = {engine: self.matched(engine, hashes, now) for engine in holders}
        return {engine: depth for engine, depth in depths.items() if depth}

    def learn(self, engine: str, hashes: Sequence[int], now: float) -> None:
        """The engine was sent a prompt with these pieces."""
        held = self._engines.get(engine)
        if held is None:
            held = self._engines[engine] = OrderedDict()
        # Where the last piece was noted just now, so were all before it: a chained hash has one past.
        if not hashes or now - held.get(hashes[-1], -math.inf) > JUST_NOW_S:
            # Last piece first, so that a prefix outlives what hangs on it, as in the engines.
            for piece in reversed(hashes):
                held[piece] = now
                held.move_to_end(piece)
        limit = max(min(self._limit, self._bytes_max // PIECE_BYTES // len(self._engines)), 1)
        while len(held) > limit:
            held.popitem(last=False)

    def forget(self, engine: str) -> None:
        """The engine left or lost its cache."""
        self._engines.pop(engine, None)

    def pieces(self, engine: str) -> int:
        """How many pieces are remembered for one engine."""
        return len(self._engines.get(engine, ()))

    @property
    def bytes(self) -> int:
        """What all of it takes, about: an engine gives back what a new one's coming left it too much when it learns next."""
        return PIECE_BYTES * sum(map(len, self._engines.values()))
