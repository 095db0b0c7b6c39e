"""The first leg of a disaggregated request: the prefill engine computes the prompt and says where its KV lies."""

from __future__ import annotations

from collections.abc import Callable

from stack.engines.pd.base import Handover, HandoverError
from stack.router.errand import Errand, Fallback
from stack.router.fleet_keeper import FleetKeeper
from stack.router.in_flight import Attempt, InFlight
from stack.router.leg_failure import RETRIED
from stack.router.openai import encode
from stack.router.phases import EngineTimes
from stack.router.poison import Poison
from stack.router.settings import RouterSettings
from stack.router.upstream import Upstream
from stack.router.upstream_errors import BrokenReplyError, ConnectError, ConnectionLostError, ReplyTimeoutError

ANSWER_BYTES_MAX = 16 << 20  # block ids of a long prompt are a few hundred kilobytes


class PrefillFailedError(Exception):
    """No hand-over: the direct path, for `reason`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class PrefillLeg:
    """Runs prefill legs. A failure costs the request nothing but time."""

    def __init__(
        self,
        upstream: Upstream,
        keeper: FleetKeeper,
        in_flight: InFlight,
        poison: Poison,
        settings: RouterSettings,
        clock: Callable[[], float],
    ) -> None:
        self._upstream = upstream
        self._keeper = keeper
        self._in_flight = in_flight
        self._poison = poison
        self._settings = settings
        self._clock = clock

    async def run(self, errand: Errand, engine: str) -> Handover:
        """What `engine` hands over. Raises PrefillFailedError."""
        errand.timeline.prefill_sent = self._clock()
        try:
            answer = await self._ask(errand, engine)
            handed = errand.served.link.speaker.handover(answer)
        except HandoverError as error:
            raise PrefillFailedError(error.reason) from error
        errand.timeline.prefill_answered = self._clock()
        errand.timeline.prefill = EngineTimes(handed.facts.queue_s, handed.facts.first_token_s)
        errand.prefill_facts = handed.facts
        errand.prefill_engine = engine
        errand.handover = handed
        return handed

    async def _ask(self, errand: Errand, engine: str) -> bytes:
        work, held = errand.uncached(engine), errand.held(engine)
        with self._in_flight.attempt(engine, errand.route.prompt_tokens, work, held, errand.route.prefix_hashes) as attempt:
            try:
                status, answer = await self._send(errand, attempt)
            except ConnectError as error:
                self._keeper.connect_failed(engine, str(error))
                raise PrefillFailedError(Fallback.PREFILL_UNREACHABLE) from error
            except BrokenReplyError as error:
                self._keeper.connect_failed(engine, str(error))
                if not isinstance(error, ConnectionLostError):
                    raise PrefillFailedError(Fallback.PREFILL_BROKEN) from error
                self._poison.died(errand.parsed, engine)
                raise PrefillFailedError(Fallback.PREFILL_DIED) from error
            except ReplyTimeoutError as error:
                raise PrefillFailedError(Fallback.PREFILL_DIED if attempt.abandoned else Fallback.PREFILL_TIMEOUT) from error
        if status in RETRIED:
            self._keeper.request_failed(engine, f"answered {status}")
        else:
            self._keeper.answered(engine)
        if status != 200:  # if it was the client's fault, the decode engine says so, about the body the client sent
            raise PrefillFailedError(Fallback.PREFILL_REFUSED)
        return answer

    async def _send(self, errand: Errand, attempt: Attempt) -> tuple[int, bytes]:
        body = encode(errand.served.link.speaker.prefill_body(errand.parsed.fields))
        settings, limits = self._settings, self._upstream.limits
        attempt.limit = limit = limits.start(settings.prefill_timeout_s, "the prefill engine gave no answer within")
        try:
            reply = await self._upstream.ask(
                errand.url(attempt.engine), "POST", errand.parsed.path, attempt.headers(errand.outbound), body, limit,
                connect_timeout_s=settings.connect_s,
            )  # fmt: skip
            try:
                return reply.status, await reply.read(ANSWER_BYTES_MAX)
            finally:
                reply.close()
        finally:
            limit.drop()
