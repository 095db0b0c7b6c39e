"""The candidates that a record shows of one pool: the best ones as they were, made when somebody takes the record."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence

from stack.control.decision import CANDIDATES_KEPT, NO_PARTS, Candidate
from stack.fleet.engine import Engine
from stack.model.placement import EnginePlacement, Placement
from stack.model.plan import Choice
from stack.model.tier import Tier

_LAST = float("inf")


def shortlist(choice: Choice, candidates: Sequence[Engine], placement: Placement) -> tuple[Candidate, ...]:
    """The best CANDIDATES_KEPT in order, and the chosen one in any case."""
    scores, placed = choice.scores, placement.engines
    return tuple([_candidate(engine, scores, placed.get(engine.target.replica)) for engine in _best(choice, candidates)])


def _best(choice: Choice, candidates: Sequence[Engine]) -> list[Engine]:
    scores = choice.scores
    if len(candidates) <= CANDIDATES_KEPT:
        return sorted(candidates, key=_rank(choice))
    # a strategy shows its best
    shown = [engine for engine in candidates if engine.target.replica in scores] if scores else candidates
    kept = heapq.nsmallest(CANDIDATES_KEPT, shown, key=_rank(choice))
    if all(engine.name != choice.engine for engine in kept):
        kept += [engine for engine in candidates if engine.name == choice.engine]
    return kept


def _rank(choice: Choice) -> Callable[[Engine], tuple[float, int]]:
    scores, part = choice.scores, choice.ranked_by or ""
    return lambda engine: (scores.get(engine.target.replica, NO_PARTS).get(part, _LAST), engine.in_flight)


def _candidate(engine: Engine, scores: Mapping[str, Mapping[str, float]], held: EnginePlacement | None) -> Candidate:
    name = engine.target.replica
    return Candidate(
        engine=name,
        in_flight=engine.in_flight,
        cached_tokens=None if held is None else held.cached_tokens,
        doubts=() if held is None else tuple(_doubts(held)),
        scores=scores.get(name, NO_PARTS),
    )


def _doubts(held: EnginePlacement) -> Iterator[str]:
    """Why the engine may have cached another number of tokens than is said."""
    if held.partial_seconds is not None:
        yield f"{Tier.ENGINE.value}: partial for {held.partial_seconds:.0f} s"
    if held.ranks > 1:
        yield f"{Tier.ENGINE.value}: the best of {held.ranks} ranks"
    for tier, doubt in held.doubts:
        yield f"{tier.value}: {doubt.value}"
