"""What is written down when a request is over: its record, its figures, and what the strategies learn from it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import islice
from typing import TypeVar

from stack.control.link import DecisionRecord
from stack.model.plan import Choice
from stack.router.errand import Errand
from stack.router.meters import Meters
from stack.router.outcomes import answer_outcome, prefill_outcome
from stack.router.phases import phases
from stack.router.records import RecordBuffer
from stack.router.shelf import StrategyShelf

T = TypeVar("T")

SCORES_KEPT = 16

log = logging.getLogger(__name__)


class Ledger:
    """Closes errands after the answer is out. Nothing that goes wrong here reaches a request."""

    def __init__(self, meters: Meters, records: RecordBuffer, shelf: StrategyShelf) -> None:
        self._meters = meters
        self._records = records
        self._shelf = shelf

    def close(self, errand: Errand) -> None:
        """Write down everything about a finished errand."""
        record = self._guarded("record", lambda: record_of(errand))
        if record is not None:
            self._records.add(record)
            self._guarded("meters", lambda: self._measure(errand, record))
        self._guarded("learn", lambda: self._learn(errand))

    def _measure(self, errand: Errand, record: DecisionRecord) -> None:
        self._meters.answered(record, errand.gaps)
        if 400 <= errand.status < 499:  # the client's own mistake: no engine could have served it as configured
            return
        for reason in errand.reasons:
            self._meters.fell_back(record.model, reason)

    def _learn(self, errand: Errand) -> None:
        """Engines that did their part hold the prompt now; a failed request teaches nothing."""
        if not 200 <= errand.status < 300:
            return
        planned = errand.plan.decode
        answered = planned if planned.engine == errand.engine else Choice(errand.engine, reason="retried")
        self._shelf.learn(errand.route, answered, answer_outcome(errand))
        if errand.prefill_engine is not None and errand.plan.prefill is not None:
            self._shelf.learn(errand.route, errand.plan.prefill, prefill_outcome(errand))

    def _guarded(self, site: str, write: Callable[[], T]) -> T | None:
        try:
            return write()
        except Exception:  # the client has its answer: whatever is wrong in measuring, it is counted and no more
            log.exception("not written down", extra={"site": site})
            self._meters.failed(site)
            return None


def _scores(choice: Choice) -> dict[str, dict[str, float]]:
    """The chosen engine's score parts and some others': in a fleet of hundreds all of them would outweigh the rest."""
    named = dict.fromkeys([choice.engine, *islice(choice.scores, SCORES_KEPT)])
    return {engine: dict(choice.scores[engine]) for engine in named if engine in choice.scores}


def record_of(errand: Errand) -> DecisionRecord:
    """The record that control keeps of a request. No text of the prompt or the answer is in it."""
    plan, route, timeline = errand.plan, errand.route, errand.timeline
    return DecisionRecord(
        request_id=errand.identity.request_id,
        at=errand.at,
        generation=errand.generation,
        model=route.model,
        strategy=plan.decode_strategy,
        path=errand.path.value,
        reason=plan.decode.reason,
        path_reason=plan.reason,
        engine=errand.engine,
        prefill_engine=errand.prefill_engine,
        prefill_strategy=plan.prefill_strategy if errand.prefill_engine is not None else None,
        fallback=errand.fallback,
        prompt_tokens=route.prompt_tokens,
        tokens_exact=route.tokens_exact,
        threshold=errand.served.policy.routing_threshold,
        status=errand.status,
        error=errand.error,
        streamed=errand.streamed,
        scores=_scores(plan.decode),
        expected_cached_tokens=plan.decode.expected_cached_tokens,
        cached_tokens=errand.facts.cached_tokens,
        prefill_cached_tokens=errand.remote_cached_tokens,
        output_tokens=errand.facts.completion_tokens,
        ttft_seconds=timeline.ttft,
        total_seconds=timeline.total,
        phases={phase.value: seconds for phase, seconds in phases(timeline).items()},
    )
