"""What is written down when a request is over: its record, its figures, and what the strategies learn from it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from stack.cache.rates import RateBook
from stack.control.decision import DecisionRecord
from stack.fleet.engine import Engine
from stack.model.outcome import Outcome
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.router.errand import Errand
from stack.router.hindsight import Hindsight
from stack.router.meters import Meters
from stack.router.outcomes import answer_outcome, observation, prefill_outcome
from stack.router.recording import draft_of
from stack.router.records import RecordBuffer
from stack.router.shadowing import Shadowing
from stack.router.shelf import StrategyShelf

T = TypeVar("T")

log = logging.getLogger(__name__)


class Ledger:
    """Closes errands after the answer is out. Nothing that goes wrong here reaches a request."""

    def __init__(
        self,
        meters: Meters,
        hindsight: Hindsight,
        records: RecordBuffer,
        shelf: StrategyShelf,
        rates: RateBook,
        shadowing: Shadowing,
    ) -> None:
        self._meters = meters
        self._records = records
        self._shelf = shelf
        self._rates = rates
        self._hindsight = hindsight
        self._shadowing = shadowing

    def close(self, errand: Errand) -> None:
        """Write down everything about a finished errand."""
        self._guarded("shadow", lambda: self._shadowing.settle(errand))
        draft = self._guarded("record", lambda: draft_of(errand))
        if draft is not None:
            self._records.add(draft)
            self._guarded("meters", lambda: self._measure(errand, draft.record))
        self._guarded("learn", lambda: self._learn(errand))

    def _measure(self, errand: Errand, record: DecisionRecord) -> None:
        self._meters.answered(record, errand.gaps)
        if record.status < 400:
            self._hindsight.answered(record)
        if 400 <= errand.status < 499:  # the client's own mistake: no engine could have served it as configured
            return
        for reason in errand.reasons:
            self._meters.fell_back(record.model, reason)

    def _learn(self, errand: Errand) -> None:
        """Engines that did their part hold the prompt now; a failed request teaches nothing."""
        if not 200 <= errand.status < 300:
            return
        planned = errand.plan.decode
        if planned.engine == errand.engine:
            self._teach(errand.route, planned, errand.candidates.decode, answer_outcome(errand))
        else:  # what its queue was when it came to that is not known
            self._shelf.learn(errand.route, Choice(errand.engine, reason="retried"), answer_outcome(errand))
        if errand.prefill_engine is not None and errand.plan.prefill is not None:
            self._teach(errand.route, errand.plan.prefill, errand.candidates.prefill, prefill_outcome(errand))

    def _teach(self, route: RouteRequest, choice: Choice, candidates: Sequence[Engine], outcome: Outcome) -> None:
        """What was sent where, and how long that took on an engine in that state."""
        self._shelf.learn(route, choice, outcome)
        chosen = next((engine for engine in candidates if engine.name == choice.engine), None)
        if chosen is not None and (seen := observation(chosen, route, outcome)) is not None:
            self._rates.learn(chosen.name, seen)

    def _guarded(self, site: str, write: Callable[[], T]) -> T | None:
        try:
            return write()
        except Exception:  # the client has its answer: whatever is wrong in measuring, it is counted and no more
            log.exception("not written down", extra={"site": site})
            self._meters.failed(site)
            return None
