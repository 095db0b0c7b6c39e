"""Makes the record of a finished request. Pure, and off the request's path: nothing waits for it."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence

from stack.control.decision import CANDIDATES_KEPT, NO_PARTS, Candidate, DecisionRecord, Selection, ShadowChoice
from stack.fleet.engine import Engine
from stack.model.placement import EnginePlacement, Placement
from stack.model.plan import Choice
from stack.model.tier import Path, Tier
from stack.router.errand import Errand
from stack.router.outcomes import answer_outcome, prefill_outcome
from stack.router.phases import phases
from stack.strategies.shadow import Shadow, regret

_LAST = float("inf")


def record_of(errand: Errand) -> DecisionRecord:
    """The record that control keeps of a request. No text of the prompt or the answer is in it."""
    plan, route, timeline = errand.plan, errand.route, errand.timeline
    placed = route.placement.engines.get(plan.decode.engine)
    computing = errand.computing
    expected, ttft = computing.choice.predicted_ttft_s, _engine_ttft(errand, computing.choice)
    prefill = None
    if plan.prefill is not None and plan.prefill_strategy is not None:
        prefill = _selection(plan.prefill, plan.prefill_strategy, errand.candidates.prefill, route.placement)
    return DecisionRecord(
        request_id=errand.identity.request_id,
        at=errand.at,
        generation=errand.generation,
        observed=errand.observed,
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
        regret_tokens=regret(route.placement, computing.candidates, computing.choice.engine),
        index_error_tokens=_index_error(errand, computing.choice),
        engine_ttft_seconds=ttft,
        ttft_error_seconds=None if ttft is None or expected is None else expected - ttft,
        shadows=tuple(_shadow(one) for one in errand.shadows),
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


def _as_planned(errand: Errand, choice: Choice) -> bool:
    """The engine that was chosen to compute the prompt did so."""
    return choice.engine == (errand.engine if errand.plan.prefill is None else errand.prefill_engine)


def _engine_ttft(errand: Errand, choice: Choice) -> float | None:
    """Seconds from handing the request to the chosen engine to its first token: as seen here, else as the engine says."""
    if not _as_planned(errand, choice):
        return None
    outcome = answer_outcome(errand) if errand.plan.prefill is None else prefill_outcome(errand)
    if outcome.ttft_seconds is not None or outcome.queue_seconds is None or outcome.prefill_seconds is None:
        return outcome.ttft_seconds
    return outcome.queue_seconds + outcome.prefill_seconds


def _index_error(errand: Errand, choice: Choice) -> int | None:
    """Cached tokens predicted minus measured; a tier that nobody can tell about makes a lower bound, which is no prediction."""
    measured = errand.facts.cached_tokens if errand.plan.prefill is None else errand.remote_cached_tokens
    expected = choice.expected_cached_tokens
    held = errand.route.placement.engines.get(choice.engine)
    if held is not None:
        expected = held.cached_tokens if held.certain else None
    if measured is None or expected is None or not _as_planned(errand, choice):
        return None
    return expected - measured


def _shadow(shadow: Shadow) -> ShadowChoice:
    return ShadowChoice(
        strategy=shadow.strategy,
        engine=shadow.engine,
        reason=shadow.reason,
        agrees=shadow.agrees,
        gained_tokens=shadow.gained_tokens,
        gained_seconds=shadow.gained_seconds,
    )
