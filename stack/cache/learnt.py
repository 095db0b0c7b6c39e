"""Which engine was sent which prompt prefix lately: a guess at the engines' caches that needs no word from them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from itertools import takewhile

PIECES_PER_ENGINE = 16_384  # with 512-byte pieces about 2 million tokens: an engine with its tiers, and some 2 MiB here


class LearntPrefixes:
    """For each engine the hashes of the prompt pieces it was sent, least recently used dropped first.

    Bounded by `pieces_per_engine`, which stands for what an engine and its tiers can hold: what an engine must have
    evicted by now is dropped here too, in the same order, so an entry ages by later traffic and not by a clock.
    """

    def __init__(self, pieces_per_engine: int = PIECES_PER_ENGINE) -> None:
        if pieces_per_engine < 1:
            raise ValueError(f"pieces_per_engine must be at least 1, not {pieces_per_engine}")
        self._limit = pieces_per_engine
        self._engines: dict[str, OrderedDict[int, None]] = {}

    def matched(self, engine: str, hashes: Sequence[int]) -> int:
        """How many leading pieces of `hashes` the engine was sent and should still hold."""
        held = self._engines.get(engine)
        if held is None:
            return 0
        return sum(1 for _ in takewhile(held.__contains__, hashes))

    def learn(self, engine: str, hashes: Sequence[int]) -> None:
        """The engine was sent a prompt with these pieces."""
        held = self._engines.setdefault(engine, OrderedDict())
        # Last piece first, so that a prefix outlives what hangs on it, as in the engines.
        for piece in reversed(hashes):
            held[piece] = None
            held.move_to_end(piece)
        while len(held) > self._limit:
            held.popitem(last=False)

    def forget(self, engine: str) -> None:
        """The engine left or lost its cache."""
        self._engines.pop(engine, None)

    def pieces(self, engine: str) -> int:
        """How many pieces are remembered for one engine."""
        return len(self._engines.get(engine, ()))
