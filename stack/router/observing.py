"""Mirrored requests of another gateway: decided and recorded as if they were carried out here, and sent nowhere."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from stack.control.state import NO_LIMITS
from stack.model.plan import Choice
from stack.router.deciding import Decider, Start
from stack.router.errand import Errand
from stack.router.errors import JSON_HEADERS, error_body
from stack.router.header_fields import HeaderLines
from stack.router.in_flight import InFlight
from stack.router.message import Request, Responder
from stack.router.openai import BodyError, parse
from stack.router.records import RecordBuffer
from stack.router.shadowing import Shadowing
from stack.router.sightings import Sightings
from stack.strategies.base import EmptyPoolError

NO_CONTENT = 204

log = logging.getLogger(__name__)


class Observing:
    """The handler of an observing router. No limit applies, and every strategy decides on every request.

    What is assumed: the request goes where it was decided, so that its prefix is learnt to be there; its prompt is computed in
    the time that was predicted, and its answer takes `answer_s` more. Nothing is learnt of rates, since nothing is measured.
    Where the engines tell of their caches, these are the other gateway's doing: what is expected to be cached is what is
    there now, and not what would be if it routed like this.
    """

    def __init__(
        self,
        decider: Decider,
        in_flight: InFlight,
        shadowing: Shadowing,
        records: RecordBuffer,
        sightings: Sightings,
        answer_s: float,
    ) -> None:
        self._decider = decider
        self._in_flight = in_flight
        self._shadowing = shadowing
        self._records = records
        self._sightings = sightings
        self._answer_s = answer_s

    async def serve(self, request: Request, responder: Responder) -> None:
        """Decide, answer 204, and note it afterwards. What could not have been decided is answered with its error."""
        start = self._decider.start(request)
        try:
            parsed = parse(request.path, request.body)
            served = self._decider.served(parsed.model, start)
            if served is None:
                await self._refuse(start, responder, 404, f"no model {parsed.model[:128]!r} is served here")
                return
            served = replace(served, limits=NO_LIMITS, shadow_share=1.0)
            errand = await self._decider.errand(request, parsed, served, start)
        except BodyError as error:
            await self._refuse(start, responder, 400, error.message)
        except EmptyPoolError:
            await self._refuse(start, responder, 503, "no engine of the model is ready")
        else:
            asyncio.get_running_loop().call_soon(self._note, errand)
            await responder.send(NO_CONTENT, start.identity.echoed, b"")

    def _note(self, errand: Errand) -> None:
        errand.observed, errand.status, errand.streamed = True, NO_CONTENT, errand.parsed.stream
        if errand.plan.prefill is not None:
            errand.prefill_engine = errand.plan.prefill.engine
        try:
            self._shadowing.consider(errand)
            self._shadowing.settle(errand)
            self._sightings.observed(errand)
            self._occupy(errand)
            self._records.add(errand)
        except Exception:  # the other gateway waits for nothing of this
            log.exception("not noted")
            self._sightings.failed()

    def _occupy(self, errand: Errand) -> None:
        """Count the request at its engines for as long as it is assumed to take there."""
        plan, computed_s = errand.plan, 0.0
        if plan.prefill is not None:
            computed_s = self._hold(errand, plan.prefill, 0.0)
        self._hold(errand, plan.decode, computed_s + self._answer_s)

    def _hold(self, errand: Errand, choice: Choice, more_s: float) -> float:
        attempt = self._in_flight.attempt(choice.engine, None, errand.uncached(choice.engine), pieces=errand.route.prefix_hashes)
        self._in_flight.begin(attempt)
        loop, computed_s = asyncio.get_running_loop(), choice.predicted_ttft_s or 0.0
        loop.call_later(computed_s, self._in_flight.computed, attempt)
        loop.call_later(computed_s + more_s, self._in_flight.end, attempt)
        return computed_s

    async def _refuse(self, start: Start, responder: Responder, status: int, message: str) -> None:
        self._sightings.undecided(status)
        await responder.send(status, HeaderLines(JSON_HEADERS + start.identity.echoed), error_body(status, message))
