"""Requests that name a model: read, decided, carried out, written down."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from math import ceil

from stack.control.decision import CLIENT_LEFT
from stack.router.admission import OverLimitError, Refusal
from stack.router.applied import Served
from stack.router.asking import Begun
from stack.router.deciding import Decider, Start
from stack.router.errand import Errand, Fallback
from stack.router.errors import JSON_HEADERS, error_body
from stack.router.executor import Executor
from stack.router.header_fields import HeaderLines
from stack.router.ledger import Ledger
from stack.router.leg_failure import LegFailedError
from stack.router.message import ClientGoneError, Request, Responder, Rest
from stack.router.meters import NO_MODEL, Meters
from stack.router.openai import BodyError, ParsedBody, parse
from stack.router.poison import Poison
from stack.router.route_headers import RouteHeaders
from stack.router.shadowing import Shadowing
from stack.router.shortcut import Shortcut
from stack.strategies.base import EmptyPoolError

log = logging.getLogger(__name__)

RETRY_AFTER_S = 1


class Completions:
    """The handler of everything that goes to an engine."""

    def __init__(
        self,
        decider: Decider,
        executor: Executor,
        poison: Poison,
        shadowing: Shadowing,
        ledger: Ledger,
        meters: Meters,
        route_headers: RouteHeaders,
        clock: Callable[[], float],
        shortcut: Shortcut | None = None,
    ) -> None:
        """Without a `shortcut` every request is carried out in a task."""
        self._shortcut = shortcut
        self._decider = decider
        self._executor = executor
        self._poison = poison
        self._shadowing = shadowing
        self._ledger = ledger
        self._meters = meters
        self._route_headers = route_headers
        self._clock = clock

    def serve(self, request: Request, responder: Responder) -> Rest | None:
        """Answer one request."""
        start = self._decider.start(request)
        try:
            parsed = parse(request.path, request.body)
        except BodyError as error:
            return self._refuse(start, responder, NO_MODEL, 400, error.message, error.code, error.param)
        served = self._decider.served(parsed.model, start)
        if served is None and start.fleet.unlisted:
            message = "not every engine has told yet what it serves: try again"
            return self._refuse(start, responder, NO_MODEL, 503, message, "models_not_listed", "model", RETRY_AFTER_S)
        if served is None:
            message = f"no model {parsed.model[:128]!r} is served here"
            return self._refuse(start, responder, NO_MODEL, 404, message, "model_not_found", "model")
        if served.fork is not None:
            served, start = self._decider.drawn(request, parsed, served.fork, start)
        if (seconds := self._poison.refused_for(parsed)) is not None:
            return self._refuse_poison(start, responder, start.fleet.base(parsed.model), seconds)
        try:
            errand = self._decider.at_once(request, parsed, served, start)
        except EmptyPoolError:
            return self._refuse_unready(start, responder, parsed.model)
        if errand is None:
            return self._wait(request, parsed, served, start, responder)
        self._shadowing.consider(errand)
        if self._shortcut is not None and self._shortcut.take(errand, responder, self):
            return None
        return self.carry_out(errand, responder)

    async def carry_out(self, errand: Errand, responder: Responder, begun: Begun | None = None) -> None:
        """The request from its decision on, or from the answer of the engine that was asked."""
        try:
            await self._executor.run(errand, responder, begun)
        except LegFailedError as failure:
            answer = failure.answer
            errand.status, errand.error = answer.status, failure.code
            await responder.send(answer.status, self._route_headers.onto(answer.headers, errand), answer.body)
        except (ClientGoneError, asyncio.CancelledError):
            if not errand.whole:
                errand.status, errand.error = CLIENT_LEFT, "client_left"
            raise
        finally:
            self.over(errand)

    def over(self, errand: Errand) -> None:
        """The client has what it gets: the rest is bookkeeping."""
        errand.timeline.done = self._clock()
        self._ledger.over(errand)

    async def _wait(self, request: Request, parsed: ParsedBody, served: Served, start: Start, responder: Responder) -> None:
        """Decide what takes its time, or has to wait for its turn."""
        try:
            errand = await self._decider.errand(request, parsed, served, start)
        except EmptyPoolError:
            await self._refuse_unready(start, responder, parsed.model)
            return
        except OverLimitError as error:
            await self._refuse_more(start, responder, start.fleet.base(parsed.model), error.refusal)
            return
        self._shadowing.consider(errand)
        await self.carry_out(errand, responder)

    async def _refuse_unready(self, start: Start, responder: Responder, model: str) -> None:
        message = f"no engine of {model!r} is ready"
        await self._refuse(start, responder, start.fleet.base(model), 503, message, "no_ready_engine", retry_after_s=RETRY_AFTER_S)

    async def _refuse_more(self, start: Start, responder: Responder, model: str, refusal: Refusal) -> None:
        self._meters.limited(model, refusal)
        message = f"as many requests for {model!r} as are allowed at once are under way: try again"
        await self._refuse(start, responder, model, 429, message, refusal.value, retry_after_s=RETRY_AFTER_S)

    async def _refuse_poison(self, start: Start, responder: Responder, model: str, seconds: float) -> None:
        self._meters.fell_back(model, Fallback.POISONOUS_REQUEST)
        log.warning("poisonous request refused", extra={"request_id": start.identity.request_id, "model": model})
        message = "engines that were given this very request died before they answered, so it is not given to another one for now"
        code = Fallback.POISONOUS_REQUEST.value
        await self._refuse(start, responder, model, 422, message, code, retry_after_s=ceil(seconds))

    async def _refuse(
        self,
        start: Start,
        responder: Responder,
        model: str,
        status: int,
        message: str,
        code: str | None,
        param: str | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        self._meters.unrouted(model, status)
        said = self._route_headers.refused(start.applied.generation, start.identity.request_id)
        headers = HeaderLines(JSON_HEADERS + start.identity.echoed + said)
        if retry_after_s is not None:
            headers = HeaderLines(b"%bretry-after: %d\r\n" % (headers, retry_after_s))
        await responder.send(status, headers, error_body(status, message, code=code, param=param))
