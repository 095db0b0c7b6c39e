"""What is written down when a request is over: its figures, its record, and what the strategies learn from it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from stack.cache.rates import RateBook
from stack.fleet.engine import Engine
from stack.model.outcome import Outcome
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.router.errand import Errand
from stack.router.hindsight import Hindsight
from stack.router.meters import Meters
from stack.router.outcomes import answer_outcome, observation, prefill_outcome
from stack.router.records import RecordBuffer
from stack.router.shadowing import Shadowing
from stack.router.shelf import StrategyShelf

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
        self._shelf = shelf
        self._rates = rates
        self._hindsight = hindsight
        self._over: list[Errand] = []
        self._steps: tuple[tuple[str, Callable[[Errand], None]], ...] = (
            ("shadow", shadowing.settle),
            ("meters", self._measure),
            ("learn", self._learn),
            ("record", self._keep),
        )
        self._records = records

    def over(self, errand: Errand) -> None:
        """Close it in a moment, after what is due now: nothing of it delays an answer's end or a connection's next request."""
        if not self._over:
            asyncio.get_running_loop().call_soon(self._close_all)
        self._over.append(errand)

    def close(self, errand: Errand) -> None:
        """Write down everything about a finished errand."""
        for site, write in self._steps:
            try:
                write(errand)
            except Exception:  # the client has its answer: whatever is wrong in measuring, it is counted and no more
                log.exception("not written down", extra={"site": site})
                self._meters.failed(site)

    def _close_all(self) -> None:
        errands, self._over = self._over, []
        for errand in errands:
            self.close(errand)

    def _measure(self, errand: Errand) -> None:
        status = errand.status
        self._meters.answered(errand)
        if status < 400:
            self._hindsight.answered(errand)
        elif status < 499:  # the client's own mistake: no engine could have served it as configured
            return
        for reason in errand.reasons:
            self._meters.fell_back(errand.route.model, reason)

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
        if (seen := observation(choice, candidates, route, outcome)) is not None:
            self._rates.learn(choice.engine, seen)

    def _keep(self, errand: Errand) -> None:
        errand.let_go()
        self._records.add(errand)
