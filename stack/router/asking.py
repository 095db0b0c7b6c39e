"""What it takes to ask one engine for the answer, whoever waits for it: counted while it lasts, written down at its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from stack.engines.answer_facts import AnswerFacts
from stack.router.answer import filter_body
from stack.router.errand import Errand, Fallback
from stack.router.fleet_keeper import FleetKeeper
from stack.router.header_fields import HeaderLines
from stack.router.identity import Pairs
from stack.router.in_flight import Attempt, InFlight
from stack.router.limit import Limit, Limits
from stack.router.phases import EngineTimes
from stack.router.poison import Poison
from stack.router.route_headers import RouteHeaders
from stack.router.settings import RouterSettings
from stack.router.upstream import Sent

_EVENT_STREAM = b"text/event-stream"
_JSON = (b"content-type", b"application/json")


class Begun(Protocol):
    """An engine that was asked, before anything of its answer was looked at."""

    @property
    def attempt(self) -> Attempt: ...

    @property
    def sent(self) -> Sent: ...

    def claim(self) -> None:
        """Whoever calls this carries it to its end from here on."""
        ...


class Asking:
    """Waits for nothing itself."""

    def __init__(
        self,
        limits: Limits,
        keeper: FleetKeeper,
        in_flight: InFlight,
        poison: Poison,
        route_headers: RouteHeaders,
        settings: RouterSettings,
        clock: Callable[[], float],
    ) -> None:
        self._limits = limits
        self._keeper = keeper
        self._in_flight = in_flight
        self._poison = poison
        self._route_headers = route_headers
        self._settings = settings
        self.now = clock

    def begin(self, errand: Errand, engine: str, *, handed_over: bool = False) -> tuple[Attempt, Limit]:
        """`engine` is about to be asked: it is in flight there until `end`."""
        route, now = errand.route, self.now()
        errand.engine, errand.timeline.decode_sent = engine, now
        # A whole answer comes after all of its tokens: the prompt does not tell when.
        tokens = route.prompt_tokens if errand.parsed.stream else None
        work = 0 if handed_over else errand.uncached(engine)
        attempt = self._in_flight.attempt(engine, tokens, work, errand.held(engine), route.prefix_hashes, now)
        attempt.limit = limit = self._limits.start(self.seconds(errand), "the engine gave no answer within")
        self._in_flight.begin(attempt)
        return attempt, limit

    def end(self, attempt: Attempt, limit: Limit, now: float | None = None) -> None:
        """The engine is done with it, or given up. `now` is on the clock, for those who know."""
        attempt.limit = None
        limit.drop()
        self._in_flight.end(attempt, now)

    def answered(self, errand: Errand, now: float | None = None) -> None:
        """The engine answered, with whatever status: it lives, and whoever suspected the body was wrong."""
        self._keeper.answered(errand.engine, now)
        self._poison.answered(errand.parsed)

    def settled(self, errand: Errand, status: int, inbound: HeaderLines, body: bytes) -> tuple[HeaderLines, bytes]:
        """Write a whole answer down. What the client gets of it beside the status: headers and body."""
        errand.status = status
        body, facts = filter_body(body, None if errand.handover is None else errand.handover.remote_cached_tokens)
        self.settle(errand, facts)
        return self._route_headers.onto(inbound, errand), body

    def settle(self, errand: Errand, facts: AnswerFacts) -> None:
        """Write down what the engine said about the request."""
        errand.facts = facts
        if facts.queue_s is not None or facts.first_token_s is not None:
            errand.timeline.decode = EngineTimes(facts.queue_s, facts.first_token_s)
        if errand.handover is not None and errand.served.link.speaker.transfer_lost(errand.handover, facts):
            errand.note(Fallback.TRANSFER_LOST)

    def seconds(self, errand: Errand) -> float:
        """How long the engine may take to begin its answer, which whole answers do at their end."""
        return self._settings.first_token_s if errand.parsed.stream else self._settings.answer_s


def is_stream(headers: Pairs) -> bool:
    """The engine answers event by event."""
    if _JSON in headers:  # nearly always
        return False
    for name, value in headers:
        if name == b"content-type":
            return value.startswith(_EVENT_STREAM)
    return False
