"""Makes the record of a finished request. Pure, and off the request's path: nothing waits for it."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence

from stack.control.decision import CANDIDATES_KEPT, NO_PARTS, Candidate, DecisionRecord, Selection
from stack.fleet.engine import Engine
from stack.model.placement import Placement
from stack.model.plan import Choice
from stack.model.tier import Path
from stack.router.errand import Errand
from stack.router.phases import phases

_LAST = float("inf")


def record_of(errand: Errand) -> DecisionRecord:
    """The record that control keeps of a request. No text of the prompt or the answer is in it."""
    plan, route, timeline = errand.plan, errand.route, errand.timeline
    placed = route.placement.engines.get(plan.decode.engine)
    prefill = None
    if plan.prefill is not None and plan.prefill_strategy is not None:
        prefill = _selection(plan.prefill, plan.prefill_strategy, errand.candidates.prefill, route.placement)
    return DecisionRecord(
        request_id=errand.identity.request_id,
        at=errand.at,
        generation=errand.generation,
        model=route.model,
        session=route.session_key,
        prompt_tokens=route.prompt_tokens,
        tokens_exact=route.tokens_exact,
        unknown_placement=route.placement.unknown_reason,
        probe_age_seconds=None if errand.probed_at is None else max(errand.decided_at - errand.probed_at, 0.0),
        placement_age_seconds=None if placed is None else placed.age_seconds,
        oldest_placement_seconds=_oldest(route.placement),
        path=errand.path.value,
        path_reason=plan.reason,
        compared=plan.compared,
        threshold=errand.served.policy.routing_threshold,
        decode=_selection(plan.decode, plan.decode_strategy, errand.candidates.decode, route.placement),
        prefill=prefill,
        fallbacks=errand.reasons,
        engine=errand.engine,
        prefill_engine=errand.prefill_engine,
        status=errand.status,
        error=errand.error,
        streamed=errand.streamed,
        cached_tokens=errand.facts.cached_tokens,
        prefill_cached_tokens=errand.remote_cached_tokens,
        peer_cached_tokens=_from_peer(errand),
        output_tokens=errand.facts.completion_tokens,
        ttft_seconds=timeline.ttft,
        total_seconds=timeline.total,
        phases={phase.value: seconds for phase, seconds in phases(timeline).items()},
    )


def _selection(choice: Choice, strategy: str, candidates: Sequence[Engine], placement: Placement) -> Selection:
    kept = _best(choice, candidates)
    return Selection(
        strategy=strategy,
        engine=choice.engine,
        reason=choice.reason,
        decided_by=choice.decided_by,
        fallback=choice.fallback,
        expected_cached_tokens=choice.expected_cached_tokens,
        predicted_ttft_seconds=choice.predicted_ttft_s,
        ranked_by=choice.ranked_by,
        candidates=tuple(_candidate(engine, choice.scores, placement) for engine in kept),
        omitted=len(candidates) - len(kept),
    )


def _best(choice: Choice, candidates: Sequence[Engine]) -> list[Engine]:
    """The best candidates in order, and the chosen one in any case."""
    kept = heapq.nsmallest(CANDIDATES_KEPT, candidates, key=_rank(choice))
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
        scores=scores.get(engine.name, NO_PARTS),
    )


def _oldest(placement: Placement) -> float | None:
    """Seconds since the engine that has said nothing for longest told of its cache; None when none ever did."""
    return max((held.age_seconds for held in placement.engines.values() if held.age_seconds is not None), default=None)


def _from_peer(errand: Errand) -> int | None:
    """What came from the prefill engine, if the decode engine held what it was believed to hold: it reports one number."""
    held = errand.route.placement.engines.get(errand.engine)
    cached = errand.facts.cached_tokens
    if errand.path is not Path.DPD or held is None or cached is None:
        return None
    return max(cached - held.cached_tokens, 0)
