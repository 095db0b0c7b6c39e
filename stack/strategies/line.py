"""Candidates in a line: by name, by place, and those that would come to a new prompt soonest."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from typing import overload

from stack.fleet.engine import Engine

SHORTEST = 16  # of hundreds of engines a prompt has to be weighed against no more than these


class Line(Sequence[Engine]):
    """Routable engines of one pool.

    `places` tells where each name is, `encoded` are the names as bytes, `shortest` the few with the least to do. What hardly
    changes is made once and handed on, so that a line costs little where one is made for nearly every request.
    """

    __slots__ = ("encoded", "engines", "places", "shortest")

    def __init__(
        self, engines: tuple[Engine, ...], encoded: tuple[bytes, ...], places: Mapping[str, int], shortest: Sequence[Engine]
    ) -> None:
        self.engines = engines
        self.encoded = encoded
        self.places = places
        self.shortest = shortest

    @classmethod
    def of(cls, candidates: Sequence[Engine]) -> Line:
        """`candidates` in a line, if they do not stand in one already."""
        if isinstance(candidates, Line):
            return candidates
        engines = tuple(candidates)
        names = [engine.target.replica for engine in engines]
        shortest = engines if len(engines) <= SHORTEST else heapq.nsmallest(SHORTEST, engines, key=due)
        return cls(engines, tuple([name.encode() for name in names]), {name: place for place, name in enumerate(names)}, shortest)

    @overload
    def __getitem__(self, place: int) -> Engine: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Engine, ...]: ...

    def __getitem__(self, place: int | slice) -> Engine | tuple[Engine, ...]:
        return self.engines[place]

    def __iter__(self) -> Iterator[Engine]:
        return iter(self.engines)

    def __len__(self) -> int:
        return len(self.engines)

    def named(self, name: str) -> Engine | None:
        """The engine of that name, if it is in the line."""
        place = self.places.get(name)
        return None if place is None else self.engines[place]


def due(engine: Engine) -> tuple[float, str]:
    """What engines stand in line by: the least seconds until a new prompt's turn can come, and the name.

    Of the prompt at work an engine may be nearly done, so that this does not change with time.
    """
    rates, queue = engine.rates, engine.queue
    behind = (queue.tokens - queue.head) / rates.prefill_tokens_per_s
    return rates.overhead_s + rates.running_s * engine.in_flight + behind, engine.target.replica
