"""Makes the record of a finished request. Pure, and off the request's path: nothing waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from stack.control.decision import DecisionRecord, Selection, ShadowChoice
from stack.model.placement import EnginePlacement, Placement
from stack.model.plan import Choice
from stack.model.tier import Path, Tier
from stack.router.draft import Draft, Weighed
from stack.router.errand import Errand
from stack.router.phases import phases
from stack.strategies.shadow import Shadow, regret

_NO_AGES: Mapping[str, float] = {}


def draft_of(errand: Errand) -> Draft:
    """The record that control keeps of a request. No text of the prompt or the answer is in it."""
    plan, candidates = errand.plan, errand.candidates
    prefill = None if plan.prefill is None else Weighed(plan.prefill, candidates.prefill)
    return Draft(_record(errand), errand.route.placement, Weighed(plan.decode, candidates.decode), prefill)


def _record(errand: Errand) -> DecisionRecord:
    plan, route, timeline = errand.plan, errand.route, errand.timeline
    placed = route.placement.engines.get(plan.decode.engine)
    computing = errand.computing
    expected, ttft = computing.choice.predicted_ttft_s, _engine_ttft(errand, computing.choice)
    prefill = None
    if plan.prefill is not None and plan.prefill_strategy is not None:
        prefill = _selection(plan.prefill, plan.prefill_strategy)
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
        tier_age_seconds=_NO_AGES if placed is None else _tier_ages(placed),
        oldest_placement_seconds=_oldest(route.placement),
        path=errand.path,
        path_reason=plan.reason,
        compared=plan.compared,
        threshold=errand.served.policy.routing_threshold,
        decode=_selection(plan.decode, plan.decode_strategy),
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
        phases=cast("Mapping[str, float]", phases(timeline)),  # a phase is a string
        regret_tokens=regret(route.placement, computing.candidates, computing.choice.engine),
        index_error_tokens=_index_error(errand, computing.choice),
        engine_ttft_seconds=ttft,
        ttft_error_seconds=None if ttft is None or expected is None else expected - ttft,
        shadows=tuple(map(_shadow, errand.shadows)),
    )


def _selection(choice: Choice, strategy: str) -> Selection:
    return Selection(
        strategy=strategy,
        engine=choice.engine,
        reason=choice.reason,
        decided_by=choice.decided_by,
        fallback=choice.fallback,
        expected_cached_tokens=choice.expected_cached_tokens,
        predicted_ttft_seconds=choice.predicted_ttft_s,
        ranked_by=choice.ranked_by,
    )


def _tier_ages(held: EnginePlacement) -> Mapping[str, float]:
    if held.l1_age_seconds is None and held.l2_age_seconds is None:
        return _NO_AGES
    ages = {Tier.L1: held.l1_age_seconds, Tier.L2: held.l2_age_seconds}
    return {tier.value: seconds for tier, seconds in ages.items() if seconds is not None}


def _oldest(placement: Placement) -> float | None:
    """Seconds since the engine that has said nothing for longest told of its cache; None when none ever did."""
    ages = [held.age_seconds for held in placement.engines.values() if held.age_seconds is not None]
    return max(ages) if ages else None


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
    timeline = errand.timeline
    if errand.plan.prefill is None:
        sent, first, said = timeline.decode_sent, timeline.first_token, errand.facts
    else:
        sent, first, said = timeline.prefill_sent, timeline.prefill_answered, errand.prefill_facts
    if sent is not None and first is not None:
        return first - sent
    return None if said.queue_s is None or said.first_token_s is None else said.queue_s + said.first_token_s


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
