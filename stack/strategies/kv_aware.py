"""Send a prompt where the engines say its KV lies, weighing what is cached, in which tier, against load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from stack.cache.cost import L1_COST, L2_COST, TierCost
from stack.cache.learnt import PIECES_PER_ENGINE
from stack.fleet.engine import Engine
from stack.model.outcome import Outcome
from stack.model.placement import EnginePlacement, Placement, UnknownReason
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.strategies import base
from stack.strategies.load import TOKENS_PER_REQUEST, refuse_empty
from stack.strategies.prefix_aware import PrefixAware

_NOTHING = EnginePlacement()

Scores = dict[str, dict[str, float]]


@base.register("kv_aware")
class KvAware:
    """The engine with the least work wins: tokens to compute, tokens to load, requests to wait behind.

    An engine whose placement is unknown is weighed as if it held nothing, and its score says `known` 0. When nothing is
    known of any candidate, or nothing of the prompt is cached anywhere, what `prefix_aware` has learnt decides (the first
    is a fallback with its reason, the second is not): requests that share a new prefix and arrive before the first of
    them was stored still meet on one engine.
    """

    def __init__(
        self,
        l1_cost: float = L1_COST,
        l2_cost: float = L2_COST,
        tokens_per_request: float = TOKENS_PER_REQUEST,
        pieces_per_engine: int = PIECES_PER_ENGINE,
    ) -> None:
        if tokens_per_request < 0.0:
            raise ValueError(f"kv_aware: tokens_per_request {tokens_per_request} must be >= 0")
        self._cost = TierCost(l1=l1_cost, l2=l2_cost)
        self._tokens_per_request = tokens_per_request
        self._prefixes = PrefixAware(tokens_per_request=tokens_per_request, pieces_per_engine=pieces_per_engine)

    def choose(self, request: RouteRequest, candidates: Sequence[Engine]) -> Choice:
        """The candidate with the least work for this prompt. Raises EmptyPoolError."""
        refuse_empty(candidates)
        placed = request.placement.engines
        known = {engine.name: placed[engine.name] for engine in candidates if engine.name in placed}
        if not known:
            decided = self._prefixes.choose(request, candidates)
            return replace(decided, fallback=_why_unknown(request.placement), decided_by="prefix_aware")
        if not any(held.cached_tokens for held in known.values()):
            return self._nothing_cached(request, candidates, known)
        scores = self._scores(request, candidates, known)
        chosen = min(candidates, key=lambda engine: (scores[engine.name]["work"], engine.in_flight, engine.name))
        most = max(held.cached_tokens for held in known.values())
        held = known.get(chosen.name)
        reason = "most_cached" if held is not None and held.cached_tokens == most else "less_work"
        return Choice(chosen.name, reason=reason, scores=scores, expected_cached_tokens=_predicted(held), ranked_by="work")

    def learn(self, request: RouteRequest, choice: Choice, outcome: Outcome) -> None:
        """Keeps what the fallback knows up to date; the engines report the rest themselves."""
        self._prefixes.learn(request, choice, outcome)

    def forget(self, engine: str) -> None:
        """Its cache is gone, or the engine is."""
        self._prefixes.forget(engine)

    def _nothing_cached(self, request: RouteRequest, candidates: Sequence[Engine], known: Mapping[str, EnginePlacement]) -> Choice:
        choice = self._prefixes.choose(request, candidates)
        expected = _predicted(known.get(choice.engine))
        scores = self._scores(request, candidates, known)
        return Choice(choice.engine, reason="nothing_cached", scores=scores, expected_cached_tokens=expected, ranked_by="work")

    def _scores(self, request: RouteRequest, candidates: Sequence[Engine], known: Mapping[str, EnginePlacement]) -> Scores:
        prompt = request.placement.prompt_tokens or request.prompt_tokens
        return {engine.name: self._score(engine, known.get(engine.name), prompt) for engine in candidates}

    def _score(self, engine: Engine, held: EnginePlacement | None, prompt_tokens: int) -> dict[str, float]:
        cached = held or _NOTHING
        compute = self._cost.computing(cached, prompt_tokens)
        load = self._cost.loading(cached)
        queue = self._tokens_per_request * engine.in_flight
        tiers = {"l1_tokens": cached.l1_tokens, "l2_tokens": cached.l2_tokens}
        return {
            "known": 0.0 if held is None else 1.0,
            "engine_tokens": float(cached.engine_tokens),
            **{name: float(tokens) for name, tokens in tiers.items() if tokens is not None},  # what is not known is no 0
            "compute": compute,
            "load": load,
            "queue": queue,
            "work": compute + load + queue,
        }


def _predicted(held: EnginePlacement | None) -> int | None:
    """What the engine will have cached, as far as it can be told: where a tier is not known, a lower bound is no prediction."""
    return held.cached_tokens if held is not None and held.certain else None


def _why_unknown(placement: Placement) -> str:
    """The placement's own reason when it is one of the closed set; none of the candidates being trusted is the other."""
    try:
        return UnknownReason(placement.unknown_reason or UnknownReason.NO_TRUSTED_ENGINE)
    except ValueError:
        return "placement_unknown"
