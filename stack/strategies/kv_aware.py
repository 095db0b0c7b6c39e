"""Send a prompt where its first token comes first: by what the engines say they hold of it, tier by tier, and by their queues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from stack.cache.cost import Cost
from stack.fleet.engine import Engine
from stack.model.placement import EnginePlacement, Placement, UnknownReason
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.strategies import base
from stack.strategies.load import refuse_empty
from stack.strategies.prediction import RANKED_BY, predicted
from stack.strategies.prefix_aware import PrefixAware

_NOTHING = EnginePlacement()


@base.register("kv_aware")
class KvAware:
    """The engine with the least predicted time to the first token: queue, tokens to compute, tokens to load.

    Ties go by load, then name. An engine whose placement is unknown is weighed as if it held nothing, and its score says
    `known` 0. When nothing of the prompt is cached anywhere, `prefix_aware` decides: requests that share a new prefix and
    arrive before the first of them was stored still meet on one engine. When nothing is known of any candidate, it decides as
    well, as a fallback with its reason, unless another one is configured.
    """

    def __init__(self) -> None:
        self._prefixes = PrefixAware()

    def choose(self, request: RouteRequest, candidates: Sequence[Engine]) -> Choice:
        """The candidate where this prompt's first token should come first. Raises EmptyPoolError."""
        refuse_empty(candidates)
        placed = request.placement.engines
        known = {engine.name: placed[engine.name] for engine in candidates if engine.name in placed}
        if not known:
            decided = self._prefixes.choose(request, candidates)
            return replace(decided, fallback=_why_unknown(request.placement), decided_by="prefix_aware")
        prompt = request.placement.prompt_tokens or request.prompt_tokens
        costs = {e.name: predicted(request, e, known.get(e.name, _NOTHING), prompt) for e in candidates}
        most = max(held.cached_tokens for held in known.values())
        if most == 0:
            chosen, reason = self._prefixes.choose(request, candidates).engine, "nothing_cached"
        else:
            chosen = min(candidates, key=lambda engine: (costs[engine.name].ttft_s, engine.in_flight, engine.name)).name
            reason = "most_cached" if known.get(chosen, _NOTHING).cached_tokens == most else "less_work"
        return Choice(
            chosen,
            reason=reason,
            scores={name: _score(known.get(name), cost) for name, cost in costs.items()},
            expected_cached_tokens=_expected(known.get(chosen)),
            predicted_ttft_s=costs[chosen].ttft_s,
            ranked_by=RANKED_BY,
        )


def _score(held: EnginePlacement | None, cost: Cost) -> Mapping[str, float]:
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
