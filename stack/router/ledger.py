"""What is written down when a request is over: its figures, its record, and how fast its engines were."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from stack.cache.others import Others
from stack.cache.rates import Observation, RateBook
from stack.fleet.engine import Engine
from stack.router.errand import Errand
from stack.router.hindsight import Hindsight
from stack.router.meters import Meters
from stack.router.outcomes import answered, found, prefilled
from stack.router.records import RecordBuffer
from stack.router.shadowing import Shadowing
from stack.strategies.line import Line

Seen = Callable[[Errand, Engine], Observation | None]

log = logging.getLogger(__name__)


class Ledger:
    """Closes errands after the answer is out. Nothing that goes wrong here reaches a request."""

    def __init__(
        self,
        meters: Meters,
        hindsight: Hindsight,
        records: RecordBuffer,
        rates: RateBook,
        others: Others,
        shadowing: Shadowing,
    ) -> None:
        self._meters = meters
        self._rates = rates
        self._others = others
        self._hindsight = hindsight
        self._over: list[Errand] = []
        self._steps: tuple[tuple[str, Callable[[Errand], None]], ...] = (
            ("shadow", shadowing.settle),
            ("meters", self._measure),
            ("learn", self._learn),
            ("record", records.add),
        )

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
        """How fast the engines are that did their part; a failed request teaches nothing."""
        if not 200 <= errand.status < 300:
            return
        engine, candidates = errand.engine, errand.candidates
        if errand.plan.decode.engine == engine:  # of another one it is not known what its queue was when it came to that
            if errand.began:
                self._teach(errand, engine, candidates.decode, answered)
            if (hit := found(errand)) is not None:
                self._others.found(*hit)
        if errand.prefill_engine is not None:
            self._teach(errand, errand.prefill_engine, candidates.prefill, prefilled)

    def _teach(self, errand: Errand, name: str, candidates: Sequence[Engine], seen: Seen) -> None:
        """How long it took on an engine in the state in which it was chosen."""
        chosen = Line.of(candidates).named(name)
        if chosen is not None and (observation := seen(errand, chosen)) is not None:
            self._rates.learn(name, observation)
