"""Candidates in a line: by name, by place, and those that would come to a new prompt soonest."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from stack.fleet.engine import Engine

SHORTEST = 16  # of hundreds of engines a prompt has to be weighed against no more than these

Due = tuple[float, str]


class Line(tuple[Engine, ...]):
    """Routable engines of one pool, as a tuple that knows more.

    `places` tells where each name is, `encoded` are the names as bytes, `shortest` the few with the least to do. What hardly
    changes is made once and handed on, so that a line costs little where one is made for nearly every request.
    """

    places: Mapping[str, int]
    encoded: Sequence[bytes]
    shortest: Sequence[Engine]

    @classmethod
    def of(cls, candidates: Sequence[Engine]) -> Line:
        """`candidates` in a line, if they do not stand in one already."""
        if isinstance(candidates, Line):
            return candidates
        names = [engine.target.replica for engine in candidates]
        places = {name: place for place, name in enumerate(names)}
        shortest = candidates if len(names) <= SHORTEST else heapq.nsmallest(SHORTEST, candidates, key=due)
        return cls.made(candidates, places, [name.encode() for name in names], shortest)

    @classmethod
    def made(
        cls, candidates: Sequence[Engine], places: Mapping[str, int], encoded: Sequence[bytes], shortest: Sequence[Engine]
    ) -> Line:
        """Of parts that fit together."""
        line = cls(candidates)
        line.places, line.encoded, line.shortest = places, encoded, shortest
        return line

    def named(self, name: str) -> Engine | None:
        """The engine of that name, if it is in the line."""
        place = self.places.get(name)
        return None if place is None else self[place]


def due(engine: Engine) -> Due:
    """What engines stand in line by: the least seconds until a new prompt's turn can come, and the name.

    Of the prompt at work an engine may be nearly done, so that this does not change with time.
    """
    rates, queue = engine.rates, engine.queue
    behind = (queue.tokens - queue.head) / rates.prefill_tokens_per_s
    return rates.overhead_s + rates.running_s * engine.in_flight + behind, engine.target.replica
