"""Carries out a plan: both legs, the direct path when the first one fails, one more engine when the last one does."""

from __future__ import annotations

from collections.abc import Callable

from stack.engines.pd.base import Handover
from stack.model.tier import Pool
from stack.router.admission import within
from stack.router.answer_leg import AnswerLeg
from stack.router.asking import Begun
from stack.router.errand import Errand, Fallback
from stack.router.fleet_keeper import FleetKeeper
from stack.router.in_flight import InFlight
from stack.router.leg_failure import LegFailedError
from stack.router.lineup import Lineup
from stack.router.message import Responder
from stack.router.poison import Poison
from stack.router.prefill_leg import PrefillFailedError, PrefillLeg
from stack.router.retry_budget import RetryBudget
from stack.router.settings import RouterSettings
from stack.router.trust import Trust


class Executor:
    """Reads the plan and asks nobody else what to do."""

    def __init__(
        self,
        prefill: PrefillLeg,
        answer: AnswerLeg,
        keeper: FleetKeeper,
        in_flight: InFlight,
        lineup: Lineup,
        poison: Poison,
        retries: RetryBudget,
        trust: Trust,
        settings: RouterSettings,
        clock: Callable[[], float],
    ) -> None:
        self._prefill = prefill
        self._answer = answer
        self._keeper = keeper
        self._in_flight = in_flight
        self._lineup = lineup
        self._poison = poison
        self._retries = retries
        self._trust = trust
        self._settings = settings
        self._clock = clock

    async def run(self, errand: Errand, responder: Responder, begun: Begun | None = None) -> None:
        """Answer the client. Raises LegFailedError when nobody could and nothing was sent, ClientGoneError.

        `begun`: the engine of a plan with one leg has been asked already.
        """
        handover = None
        if begun is not None:
            begun.claim()
        else:
            self._retries.earn()
            handover = await self._hand_over(errand)
        try:
            await self._answer.run(errand, errand.plan.decode.engine, handover, responder, begun)
        except LegFailedError as failure:
            other = self._other(errand, failure, handover)
            if other is None or failure.retry is None:
                raise
            # Where no connection came about no engine has had the request: its one other try is no load beyond that of one.
            if failure.retry is not Fallback.DECODE_UNREACHABLE and not self._retries.spend():
                errand.note(Fallback.RETRY_BUDGET)
                raise
            errand.fall_back(failure.retry)
            await self._answer.run(errand, other, None, responder)
            if handover is not None and failure.retry is Fallback.DECODE_ERROR:  # it was the hand-over, then
                self._distrust(errand)
        else:
            self._judge(errand)

    async def _hand_over(self, errand: Errand) -> Handover | None:
        if errand.plan.prefill is None:
            return None
        if not self._trust.ask(errand.plan.prefill.engine):
            errand.fall_back(Fallback.HANDOVER_SUSPENDED)
            return None
        try:
            # The decode engine has this request as good as in its queue: decisions made meanwhile should know.
            with self._in_flight.attempt(errand.plan.decode.engine, pieces=errand.route.prefix_hashes):
                handover = await self._prefill.run(errand, errand.plan.prefill.engine)
        except PrefillFailedError as failure:
            errand.fall_back(failure.reason)
            if failure.reason != Fallback.PREFILL_REFUSED:  # a refusal may be the client's own fault
                self._distrust(errand)
            return None
        if self._is_late(errand):
            errand.fall_back(Fallback.HANDOVER_LATE)
            self._distrust(errand)
            return None
        return handover

    def _judge(self, errand: Errand) -> None:
        """What a request that was answered says about the hand-over it used."""
        if errand.prefill_engine is None or errand.status != 200:
            return
        if Fallback.TRANSFER_LOST in errand.fallbacks:
            self._distrust(errand)
        else:
            self._trust.worked(errand.prefill_engine)

    def _distrust(self, errand: Errand) -> None:
        if errand.plan.prefill is not None:
            self._trust.failed(errand.plan.prefill.engine)

    def _is_late(self, errand: Errand) -> bool:
        """Blocks that outlived their lease hold somebody else's KV by now: wrong text, and nothing that says so.

        Once the decode engine has the request it renews the lease itself while it waits.
        """
        answered = errand.timeline.prefill_answered
        return answered is None or self._clock() - answered > self._settings.handover_limit_s

    def _other(self, errand: Errand, failure: LegFailedError, handover: Handover | None) -> str | None:
        """Another decode engine, by the same strategy. An engine that choked on a hand-over may do without it."""
        if failure.retry is None or self._poison.refused_for(errand.parsed) is not None:
            return None
        ready = self._lineup.candidates(self._keeper.fleet, errand.parsed.model, Pool.DECODE)
        candidates = within(ready, errand.served.limits)
        others = tuple(engine for engine in candidates if engine.name != errand.engine and engine.name in errand.fleet.members)
        if others:
            return errand.served.strategies.decode.choose(errand.route, others).engine
        alone = handover is not None and any(engine.name == errand.engine for engine in candidates)
        return errand.engine if alone else None
