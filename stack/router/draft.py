"""A record that lacks its candidates until somebody takes it: with many engines they are most of its cost, and of its size."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from stack.control.decision import CANDIDATES_KEPT, NO_PARTS, Candidate, DecisionRecord, Selection
from stack.fleet.engine import Engine
from stack.model.placement import UNKNOWN, EnginePlacement, Placement
from stack.model.plan import Choice
from stack.model.tier import Tier

_LAST = float("inf")


@dataclass(frozen=True, slots=True)
class Weighed:
    """What one pool's candidates are made from."""

    choice: Choice
    candidates: Sequence[Engine]


@dataclass(frozen=True, slots=True)
class Draft:
    """`record` is whole but for the candidates of its selections."""

    record: DecisionRecord
    placement: Placement = UNKNOWN
    decode: Weighed | None = None
    prefill: Weighed | None = None

    def whole(self) -> DecisionRecord:
        """The record with its candidates."""
        record = self.record
        decode = record.decode if self.decode is None else self._with(record.decode, self.decode)
        prefill = record.prefill
        if prefill is not None and self.prefill is not None:
            prefill = self._with(prefill, self.prefill)
        return replace(record, decode=decode, prefill=prefill)

    def _with(self, selection: Selection, pool: Weighed) -> Selection:
        kept = _best(pool.choice, pool.candidates)
        made = tuple(_candidate(engine, pool.choice.scores, self.placement) for engine in kept)
        return replace(selection, candidates=made, omitted=len(pool.candidates) - len(kept))


def _best(choice: Choice, candidates: Sequence[Engine]) -> list[Engine]:
    """The best candidates in order, and the chosen one in any case."""
    scores = choice.scores
    if scores and len(candidates) > CANDIDATES_KEPT:  # a strategy shows its best
        shown = [engine for engine in candidates if engine.target.replica in scores]
    else:
        shown = list(candidates)
    kept = heapq.nsmallest(CANDIDATES_KEPT, shown, key=_rank(choice))
    if all(engine.name != choice.engine for engine in kept):
        kept += [engine for engine in candidates if engine.name == choice.engine]
    return kept


def _rank(choice: Choice) -> Callable[[Engine], tuple[float, int]]:
    scores, part = choice.scores, choice.ranked_by or ""
    return lambda engine: (scores.get(engine.name, NO_PARTS).get(part, _LAST), engine.in_flight)


def _candidate(engine: Engine, scores: Mapping[str, Mapping[str, float]], placement: Placement) -> Candidate:
    held = placement.engines.get(engine.name)
    return Candidate(
        engine=engine.name,
        in_flight=engine.in_flight,
        cached_tokens=None if held is None else held.cached_tokens,
        doubts=() if held is None else tuple(_doubts(held)),
        scores=scores.get(engine.name, NO_PARTS),
    )


def _doubts(held: EnginePlacement) -> Iterator[str]:
    """Why the engine may have cached another number of tokens than is said."""
    if held.partial_seconds is not None:
        yield f"{Tier.ENGINE.value}: partial for {held.partial_seconds:.0f} s"
    if held.ranks > 1:
        yield f"{Tier.ENGINE.value}: the best of {held.ranks} ranks"
    for tier, doubt in held.doubts:
        yield f"{tier.value}: {doubt.value}"
