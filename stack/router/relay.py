"""Passes a stream on, event by event, and ends it in words the client understands when the engine cannot."""

from __future__ import annotations

from collections.abc import Callable

from stack.router.answer import error_event
from stack.router.errand import GAPS_MAX, Errand
from stack.router.event_stream import EventStream
from stack.router.fleet_keeper import FleetKeeper
from stack.router.message import Responder
from stack.router.reply import Reply
from stack.router.settings import RouterSettings
from stack.router.upstream_errors import BrokenReplyError, ReplyTimeoutError


class Relay:
    """From an engine's reply to a client's connection."""

    def __init__(self, keeper: FleetKeeper, settings: RouterSettings, clock: Callable[[], float]) -> None:
        self._keeper = keeper
        self._settings = settings
        self._clock = clock

    async def run(self, errand: Errand, reply: Reply, events: EventStream, first: bytes, responder: Responder) -> None:
        """Everything from `first` on, to a proper end. Raises ClientGoneError."""
        pulse, gap_s = _Pulse(errand, events), self._settings.token_gap_s
        try:
            await responder.write(first)
            pulse.note(self._clock())
            errand.whole = events.done
            while (piece := await reply.piece(gap_s)) is not None:
                self._keeper.heard(errand.engine)
                out = events.feed(piece)
                if out:
                    await responder.write(out)
                    pulse.note(self._clock())
                    errand.whole = events.done
            await responder.write(events.end())
            if errand.parsed.routed and not events.done and not events.failed:
                raise BrokenReplyError("the stream ended without its last event", started=True)
        except ReplyTimeoutError:
            await self._break_off(errand, responder, 504, "token_gap", "the engine fell silent")
        except BrokenReplyError as error:
            self._keeper.connect_failed(errand.engine, str(error))
            await self._break_off(errand, responder, 502, "engine_lost", "the engine broke off")
        if events.failed:
            errand.status, errand.error = 502, "engine_error"
        await responder.finish()

    async def _break_off(self, errand: Errand, responder: Responder, status: int, code: str, message: str) -> None:
        errand.status, errand.error = status, code
        await responder.write(error_event(message, code, status))


class _Pulse:
    """Notes when tokens went out."""

    __slots__ = ("_errand", "_events", "_last", "_tokens")

    def __init__(self, errand: Errand, events: EventStream) -> None:
        self._errand = errand
        self._events = events
        self._tokens = 0
        self._last = 0.0

    def note(self, now: float) -> None:
        """Something went out at `now`; tokens that went out together are no time apart."""
        fresh = self._events.tokens - self._tokens
        if fresh <= 0:
            return
        if self._tokens == 0:
            self._errand.timeline.first_token = now
        if len(self._errand.gaps) < GAPS_MAX:
            self._errand.gaps += token_gaps(fresh, self._tokens == 0, now - self._last)
        self._tokens += fresh
        self._last = now


def token_gaps(fresh: int, first: bool, since_last: float) -> list[float]:
    """Seconds before each of `fresh` tokens that went out together; the very first of an answer has none before it."""
    together = [0.0] * (fresh - 1)
    return together if first else [since_last, *together]
