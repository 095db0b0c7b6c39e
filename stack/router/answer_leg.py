"""The leg whose answer the client gets: one engine, asked with or without a hand-over, its answer passed on as it comes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from stack.engines.pd.base import Handover
from stack.router import leg_failure
from stack.router.asking import Asking, Begun, is_stream
from stack.router.errand import Errand
from stack.router.event_stream import EventStream
from stack.router.fleet_keeper import FleetKeeper
from stack.router.forwarding import direct_bytes
from stack.router.identity import inbound
from stack.router.in_flight import Attempt, InFlight
from stack.router.leg_failure import EngineAnswer, LegFailedError
from stack.router.limit import Limit
from stack.router.message import Responder
from stack.router.openai import UsageWish, encode
from stack.router.poison import Poison
from stack.router.relay import Relay
from stack.router.reply import Reply
from stack.router.route_headers import RouteHeaders
from stack.router.settings import RouterSettings
from stack.router.unclaimed import Collection, Unclaimed
from stack.router.upstream import Sent, Upstream
from stack.router.upstream_errors import BrokenReplyError, ConnectError, ConnectionLostError, ReplyTimeoutError

ANSWER_BYTES_MAX = 256 << 20  # embeddings of a large batch; an engine is trusted, but not without end
_EVERYTHING = UsageWish(include=True, continuous=True)


@dataclass(slots=True)
class _Stream:
    """A stream whose first event has arrived; `first` is what of it the client gets."""

    reply: Reply
    events: EventStream
    first: bytes


class AnswerLeg:
    """Asks one engine for the answer. Until the first byte goes to the client, every failure can still be mended."""

    def __init__(
        self,
        asking: Asking,
        upstream: Upstream,
        keeper: FleetKeeper,
        in_flight: InFlight,
        poison: Poison,
        relay: Relay,
        collection: Collection,
        route_headers: RouteHeaders,
        settings: RouterSettings,
    ) -> None:
        self._asking = asking
        self._upstream = upstream
        self._keeper = keeper
        self._in_flight = in_flight
        self._poison = poison
        self._relay = relay
        self._collection = collection
        self._route_headers = route_headers
        self._settings = settings

    async def run(
        self, errand: Errand, engine: str, handover: Handover | None, responder: Responder, begun: Begun | None = None
    ) -> None:
        """Ask `engine`, answer the client. Raises LegFailedError as long as the client got nothing, ClientGoneError.

        `begun`: it has been asked already, without a hand-over.
        """
        asking, sent = self._asking, None if begun is None else begun.sent
        if begun is None:
            attempt, limit = asking.begin(errand, engine, handed_over=handover is not None)
        else:
            attempt, limit = begun.attempt, begun.sent.limit
        try:
            try:
                opened = await self._open(errand, handover, attempt, limit, sent)
            except asyncio.CancelledError:
                if handover is not None and not limit.guarding:  # nothing was sent yet
                    self._collection.begin(errand, engine, handover, Unclaimed.CLIENT_LEFT)
                raise
            asking.answered(errand)
            if isinstance(opened, _Stream):
                self._in_flight.computed(attempt)
                try:
                    await self._pass_on(errand, opened, responder)
                finally:
                    opened.reply.close()
                return
        finally:
            asking.end(attempt, limit)
        if handover is not None and 400 <= opened.status < 500:
            self._collection.begin(errand, engine, handover, Unclaimed.DECODE_REFUSED)
        # The engine is done; a client that reads slowly is no load of its.
        await responder.send(opened.status, *asking.settled(errand, opened.status, opened.headers, opened.body))

    async def _open(
        self, errand: Errand, handover: Handover | None, attempt: Attempt, limit: Limit, sent: Sent | None
    ) -> _Stream | EngineAnswer:
        engine = attempt.engine
        try:
            return await self._ask(errand, handover, attempt, limit, sent)
        except ConnectError as error:
            self._keeper.connect_failed(engine, str(error))
            raise leg_failure.unreachable() from error
        except LegFailedError as failure:
            self._keeper.request_failed(engine, f"answered {failure.answer.status}")
            raise
        except BrokenReplyError as error:
            self._keeper.connect_failed(engine, str(error))
            if not isinstance(error, ConnectionLostError):
                raise leg_failure.broken() from error
            self._poison.died(errand.parsed, engine)
            raise leg_failure.died() from error
        except ReplyTimeoutError as error:
            raise (leg_failure.died() if attempt.abandoned else leg_failure.too_slow(self._asking.seconds(errand))) from error
        finally:
            attempt.limit = None
            limit.set(None)  # a client that reads slowly from here on is not the engine's fault

    async def _ask(
        self, errand: Errand, handover: Handover | None, attempt: Attempt, limit: Limit, sent: Sent | None
    ) -> _Stream | EngineAnswer:
        if sent is not None:
            reply = await self._upstream.reply(sent, self._settings.connect_s)
        else:
            reply = await self._upstream.ask(
                errand.url(attempt.engine), "POST", errand.parsed.path, attempt.headers(errand.outbound), _body(errand, handover),
                limit, connect_timeout_s=self._settings.connect_s,
                retry_stale=handover is None,  # params are never used twice
            )  # fmt: skip
        opened: _Stream | None = None
        try:
            if reply.status == 200 and is_stream(reply.headers):
                opened = await self._begin(errand, reply)
                return opened
            answer = EngineAnswer.of(reply.status, inbound(reply.headers), await reply.read(ANSWER_BYTES_MAX))
        finally:
            if opened is None:
                reply.close()
        if reply.status in leg_failure.RETRIED:
            raise leg_failure.refused(answer)
        return answer

    async def _begin(self, errand: Errand, reply: Reply) -> _Stream:
        """Wait for the first event: engines send the head of a stream long before, when nothing is certain yet."""
        wish = errand.parsed.usage if errand.parsed.routed else _EVERYTHING
        events = EventStream(wish, errand.remote_cached_tokens)
        first = b""
        while not first:
            piece = await reply.piece()
            if piece is None:
                raise BrokenReplyError("the stream ended before its first event", started=True)
            first = events.feed(piece)
        if events.failed and not events.first_token and (broken := leg_failure.reported(first)):
            raise broken
        return _Stream(reply, events, first)

    async def _pass_on(self, errand: Errand, opened: _Stream, responder: Responder) -> None:
        errand.streamed = True
        errand.status = opened.reply.status
        await responder.start(opened.reply.status, self._route_headers.onto(inbound(opened.reply.headers), errand))
        try:
            await self._relay.run(errand, opened.reply, opened.events, opened.first, responder)
        finally:  # what the engine said so far is known, whether or not the client stayed
            self._asking.settle(errand, opened.events.facts)


def _body(errand: Errand, handover: Handover | None) -> bytes:
    if handover is not None:
        return encode(errand.served.link.speaker.decode_body(errand.parsed.fields, handover))
    return direct_bytes(errand.parsed)
