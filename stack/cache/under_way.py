"""Prompts that were sent and not answered yet: an engine has them, or soon will."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence


class UnderWay:
    """For each engine the pieces of the prompts it is at work on. Bounded by what is in flight."""

    def __init__(self) -> None:
        self._engines: defaultdict[str, dict[int, int]] = defaultdict(dict)

    def sent(self, engine: str, hashes: Sequence[int]) -> None:
        """A prompt with these pieces goes to `engine`."""
        counts = self._engines[engine]
        for piece in hashes:
            counts[piece] = counts.get(piece, 0) + 1

    def over(self, engine: str, hashes: Sequence[int]) -> None:
        """It was answered, or never will be; once for each `sent`."""
        counts = self._engines[engine]
        for piece in hashes:
            if counts[piece] == 1:
                del counts[piece]
            else:
                counts[piece] -= 1
        if not counts:
            del self._engines[engine]

    def matched(self, hashes: Sequence[int]) -> Mapping[str, int]:
        """How many leading pieces of `hashes` each engine is at work on; engines with none are left out."""
        found = {}
        for engine, counts in self._engines.items():
            pieces = 0
            for piece in hashes:
                if piece not in counts:
                    break
                pieces += 1
            if pieces:
                found[engine] = pieces
        return found
