"""Lets the other strategies decide along on a share of the requests, beside the path and within a budget of time."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from stack.router.errand import Errand
from stack.strategies.shadow import Shadow, shadows

DELAY_S = 0.02  # soon, so that nothing much has been learnt since the decision; late enough for a burst to be through
SLICE_S = 0.0005  # at once: less than a prompt takes to be tokenized
PAUSE_S = 0.002
BUDGET_SHARE = 0.02  # of one core
BURST_S = 0.02  # of budget saved up: a hundred decisions and more

log = logging.getLogger(__name__)


class Scores(Protocol):
    """Counts what comes of shadows."""

    def shadowed(self, model: str, made: Sequence[Shadow], spent: float) -> None:
        """Others decided along, which took `spent` CPU seconds."""
        ...

    def skipped(self, model: str) -> None:
        """A sampled request got no shadows."""
        ...


class Shadowing:
    """Runs shadows of sampled errands a moment after their decision, over the very inputs it was made from.

    What a strategy has learnt meanwhile is not taken back; that is a fiftieth of a second of other requests. Beyond the budget
    samples are skipped, counted. `failed` counts failures by site. `work_clock` tells CPU seconds of this thread, `clock` any
    seconds, `chance` a number from 0 to below 1.
    """

    def __init__(
        self,
        scores: Scores,
        failed: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        work_clock: Callable[[], float] = time.thread_time,
        chance: Callable[[], float] = random.random,
        budget_share: float = BUDGET_SHARE,
    ) -> None:
        self._scores, self._failed = scores, failed
        self._clock, self._work_clock, self._chance = clock, work_clock, chance
        self._budget_share = budget_share
        self._left, self._seen = BURST_S, clock()
        self._due = False
        self._waiting: dict[Errand, None] = {}

    def consider(self, errand: Errand) -> None:
        """Sample a request that was just decided."""
        if self._chance() >= errand.served.shadow_share:
            return
        self._waiting[errand] = None
        self._run_in(DELAY_S)

    def run(self) -> None:
        """Decide for those who wait, a slice of time's worth; requests have their turn in between."""
        self._due = False
        ends = self._work_clock() + SLICE_S
        while self._waiting:
            errand = next(iter(self._waiting))
            del self._waiting[errand]
            self._one(errand)
            if self._waiting and self._work_clock() >= ends:
                self._run_in(PAUSE_S)
                return

    def settle(self, errand: Errand) -> None:
        """The request is over: if it still waits, it is decided now, before anyone learns from it."""
        if errand in self._waiting:
            del self._waiting[errand]
            self._one(errand)

    def _run_in(self, seconds: float) -> None:
        if not self._due:
            self._due = True
            asyncio.get_running_loop().call_later(seconds, self.run)

    def _one(self, errand: Errand) -> None:
        model = errand.route.model
        if not self._affordable():
            self._scores.skipped(model)
            return
        began = self._work_clock()
        acting = errand.computing
        try:
            others = errand.served.beside.get(acting.pool, ())
            errand.shadows = shadows(errand.route, acting.candidates, acting.choice, acting.strategy, others)
        except Exception:  # a strategy that does not even act may fail in any way
            log.exception("no shadow decision")
            self._failed("shadow")
        spent = self._work_clock() - began
        self._left -= spent
        self._scores.shadowed(model, errand.shadows, spent)

    def _affordable(self) -> bool:
        now = self._clock()
        self._left = min(BURST_S, self._left + (now - self._seen) * self._budget_share)
        self._seen = now
        return self._left > 0.0
