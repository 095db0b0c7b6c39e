"""Send a prompt where its first token comes first: by what the engines say they hold of it, tier by tier, and by their queues."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from stack.cache.cost import Cost
from stack.fleet.engine import Engine
from stack.model.placement import EnginePlacement, Placement, UnknownReason
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.strategies import base
from stack.strategies.lazy_scores import LazyScores
from stack.strategies.line import SHORTEST, Line, due
from stack.strategies.load import refuse_empty
from stack.strategies.prediction import predicted
from stack.strategies.prefix_aware import (
    MIN_MATCH_PIECES,
    MIN_MATCH_SHARE,
    PATIENCE_TOKENS,
    MinMatchPieces,
    MinMatchShare,
    PatienceTokens,
    PrefixAware,
)

RANKED_BY = "weighed_s"
# A second of computing costs the fleet more than this prompt's own wait: who comes behind waits as well, and what lay in the
# cache makes room. Over the whole of a public trace a third of it gave the least TTFT and more hits than none or a half.
WORK_WEIGHT = 0.3
WorkWeight = Annotated[float, Meta(ge=0, le=10, description="of a second that an engine computes, beyond the prompt's own wait")]

_NOTHING = EnginePlacement()


@base.register("kv_aware")
class KvAware:
    """The engine with the least predicted time to the first token: queue, tokens to compute, tokens to load.

    What is to be computed counts `work_weight` times more than that: so an engine that holds the prompt is left a little later.
    Ties go by load, then name. An engine whose placement is unknown is weighed as if it held nothing, and its score says
    `known` 0. When nothing of the prompt is cached anywhere, `prefix_aware` decides: requests that share a new prefix and
    arrive before the first of them was stored still meet on one engine. When nothing is known of any candidate, it decides as
    well, as a fallback with its reason, unless another one is configured.
    """

    def __init__(
        self,
        work_weight: WorkWeight = WORK_WEIGHT,
        min_match_pieces: MinMatchPieces = MIN_MATCH_PIECES,
        min_match_share: MinMatchShare = MIN_MATCH_SHARE,
        patience_tokens: PatienceTokens = PATIENCE_TOKENS,
    ) -> None:
        """The last three are what `prefix_aware` goes by where it decides."""
        self._weight = work_weight
        self._prefixes = PrefixAware(min_match_pieces, min_match_share, patience_tokens)

    def choose(self, request: RouteRequest, candidates: Sequence[Engine]) -> Choice:
        """The candidate where this prompt's first token should come first. Raises EmptyPoolError."""
        refuse_empty(candidates)
        line, placed = Line.of(candidates), request.placement.engines
        if placed.keys().isdisjoint(line.places):
            decided = self._prefixes.choose(request, candidates)
            return replace(decided, fallback=_why_unknown(request.placement), decided_by="prefix_aware")
        weighed: Sequence[Engine] = line if len(line) <= SHORTEST else _some(line, placed)
        known = [placed.get(engine.target.replica) for engine in weighed]
        most = max([held.cached_tokens for held in known if held is not None], default=0)
        if most == 0:
            chosen, reason = line[line.places[self._prefixes.choose(request, line).engine]], "nothing_cached"
            if all(engine is not chosen for engine in weighed):
                weighed, known = [*weighed, chosen], [*known, placed.get(chosen.name)]
        prompt = request.placement.prompt_tokens or request.prompt_tokens
        costs = [predicted(request, engine, held or _NOTHING, prompt) for engine, held in zip(weighed, known, strict=True)]
        if most > 0:
            chosen = min(zip(weighed, costs, strict=True), key=self._rank)[0]
        place = next(place for place, engine in enumerate(weighed) if engine is chosen)
        held = known[place]
        if most > 0:
            reason = "most_cached" if held is not None and held.cached_tokens == most else "less_work"
        return Choice(
            chosen.name,
            reason,
            LazyScores(self._scores, weighed, known, costs),
            expected_cached_tokens=_expected(held),
            predicted_ttft_s=costs[place].ttft_s,
            ranked_by=RANKED_BY,
        )

    def _rank(self, weighed: tuple[Engine, Cost]) -> tuple[float, int, str]:
        engine, cost = weighed
        return self._seconds(cost), engine.in_flight, engine.target.replica

    def _seconds(self, cost: Cost) -> float:
        return cost.ttft_s + self._weight * cost.compute_s

    def _scores(
        self, engines: Sequence[Engine], known: Sequence[EnginePlacement | None], costs: Sequence[Cost]
    ) -> dict[str, Mapping[str, float]]:
        return {
            engine.name: {**_score(held, cost), RANKED_BY: self._seconds(cost)}
            for engine, held, cost in zip(engines, known, costs, strict=True)
        }


def _some(line: Line, placed: Mapping[str, EnginePlacement]) -> list[Engine]:
    """Of many candidates some that hold most of the prompt, and those with the least to do: another one is better in neither."""
    cached = [0 if held is None else held.cached_tokens for held in map(placed.get, line.places)]
    least = heapq.nlargest(SHORTEST, cached)[-1]
    holders = [engine for engine, tokens in zip(line, cached, strict=True) if tokens > least]
    equals = [engine for engine, tokens in zip(line, cached, strict=True) if tokens == least]
    if len(equals) <= 4 * SHORTEST:  # what more than these hold, some with little to do hold as well
        holders += heapq.nsmallest(SHORTEST - len(holders), equals, key=due)
    return list({engine.target.replica: engine for engine in (*holders, *line.shortest)}.values())


def _score(held: EnginePlacement | None, cost: Cost) -> dict[str, float]:
    cached = held or _NOTHING
    score = cost._asdict()
    score["known"] = 0.0 if held is None else 1.0
    score["engine_tokens"] = float(cached.engine_tokens)
    if cached.l1_tokens is not None:  # what is not known is no 0
        score["l1_tokens"] = float(cached.l1_tokens)
    if cached.l2_tokens is not None:
        score["l2_tokens"] = float(cached.l2_tokens)
    return score


def _expected(held: EnginePlacement | None) -> int | None:
    """What the engine will have cached, as far as it can be told: where a tier is not known, a lower bound is no prediction."""
    return held.cached_tokens if held is not None and held.certain else None


def _why_unknown(placement: Placement) -> UnknownReason:
    """The placement's own reason when it is one of the closed set; none of the candidates being trusted is the other."""
    try:
        return UnknownReason(placement.unknown_reason or UnknownReason.NO_TRUSTED_ENGINE)
    except ValueError:
        return UnknownReason.OTHER
