"""Makes the records of finished requests when somebody takes them: nothing but the requests is looked at."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from stack.control.decision import DecisionRecord, Selection, ShadowChoice
from stack.fleet.engine import Engine
from stack.model.placement import EnginePlacement, Placement
from stack.model.plan import Choice
from stack.model.tier import Path, Tier
from stack.router.errand import Errand
from stack.router.phases import phases
from stack.router.shortlist import shortlist
from stack.router.verdict import engine_ttft_seconds, index_error_tokens, regret_tokens, ttft_error_seconds
from stack.strategies.shadow import Shadow

log = logging.getLogger(__name__)

RECORDS_AT_ONCE = 8  # a fifth of a millisecond

_NO_AGES: Mapping[str, float] = {}


async def records_of(errands: Sequence[Errand], failed: Callable[[str], None]) -> tuple[DecisionRecord | None, ...]:
    """The records of all, None for one that cannot be made. They are made a few at a time: requests do not wait for more."""
    records: list[DecisionRecord | None] = []
    for number, errand in enumerate(errands, 1):
        try:
            records.append(record_of(errand))
        except Exception:  # whatever is wrong with one record, the others arrive
            log.exception("no record")
            failed("record")
            records.append(None)
        if number % RECORDS_AT_ONCE == 0:
            await asyncio.sleep(0)
    return tuple(records)


def record_of(errand: Errand) -> DecisionRecord:
    """The record that control keeps of a request. No text of the prompt or the answer is in it."""
    plan, route, timeline, candidates = errand.plan, errand.route, errand.timeline, errand.candidates
    placement = route.placement
    placed = placement.engines.get(plan.decode.engine)
    prefill = None
    if plan.prefill is not None and plan.prefill_strategy is not None:
        prefill = _selection(plan.prefill, plan.prefill_strategy, candidates.prefill, placement)
    return DecisionRecord(
        request_id=errand.identity.request_id,
        at=errand.at,
        generation=errand.generation,
        observed=errand.observed,
        model=route.model,
        adapter=route.adapter,
        session=route.session_key,
        prompt_tokens=route.prompt_tokens,
        tokens_exact=route.tokens_exact,
        unknown_placement=placement.unknown_reason,
        probe_age_seconds=None if errand.probed_at is None else max(errand.decided_at - errand.probed_at, 0.0),
        placement_age_seconds=None if placed is None else placed.age_seconds,
        tier_age_seconds=_NO_AGES if placed is None else _tier_ages(placed),
        oldest_placement_seconds=_oldest(placement) if placement.engines else None,
        path=errand.path,
        path_reason=plan.reason,
        compared="" if plan.compared is None else str(plan.compared),
        threshold=errand.served.policy.routing_threshold,
        decode=_selection(plan.decode, plan.decode_strategy, candidates.decode, placement),
        prefill=prefill,
        fallbacks=errand.reasons,
        experiment=errand.served.experiment,
        arm=errand.served.arm,
        unit=errand.unit,
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
        regret_tokens=regret_tokens(errand),
        index_error_tokens=index_error_tokens(errand),
        engine_ttft_seconds=engine_ttft_seconds(errand),
        ttft_error_seconds=ttft_error_seconds(errand),
        shadows=tuple(map(_shadow, errand.shadows)),
    )


def _selection(choice: Choice, strategy: str, candidates: Sequence[Engine], placement: Placement) -> Selection:
    shown = shortlist(choice, candidates, placement)
    return Selection(
        strategy=strategy,
        engine=choice.engine,
        reason=choice.reason,
        decided_by=choice.decided_by,
        fallback=choice.fallback,
        expected_cached_tokens=choice.expected_cached_tokens,
        predicted_ttft_seconds=choice.predicted_ttft_s,
        ranked_by=choice.ranked_by,
        candidates=shown,
        omitted=len(candidates) - len(shown),
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


def _shadow(shadow: Shadow) -> ShadowChoice:
    return ShadowChoice(
        strategy=shadow.strategy,
        engine=shadow.engine,
        reason=shadow.reason,
        agrees=shadow.agrees,
        gained_tokens=shadow.gained_tokens,
        gained_seconds=shadow.gained_seconds,
    )
