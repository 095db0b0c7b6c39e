"""What this router has sent to engines and not seen the end of: its own count, which no probe ever resets."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import msgspec

from stack.cache.sent import SentPrefixes
from stack.model.load import EMPTY_QUEUE, Queue
from stack.model.placement import EnginePlacement
from stack.router.header_fields import HeaderLines
from stack.router.limit import Limit
from stack.router.ranks import RANK_HEADER, rank_for
from stack.router.waiting_line import WaitingLine

Pieces = Sequence[int]


class Attempt(msgspec.Struct, eq=False):
    """One request at one engine, until its end. `limit` is the deadline in force, if its wait may be cut short.

    `tokens` is the prompt's length, None where that does not tell when to expect a first byte. `work` are those of its
    tokens that the engine has to compute, `pieces` the hashes of its beginning. `rank` is the data-parallel rank it is sent
    to, None where the engine decides.
    """

    _in_flight: InFlight
    engine: str
    tokens: int | None
    work: int
    pieces: Pieces
    since: float
    rank: int | None
    abandoned: bool = False
    limit: Limit | None = None

    def __enter__(self) -> Attempt:
        self._in_flight.begin(self)
        return self

    def __exit__(self, *error: object) -> None:
        self._in_flight.end(self)

    def headers(self, outbound: HeaderLines) -> HeaderLines:
        """`outbound`, with the rank where there is one."""
        return outbound if self.rank is None else HeaderLines(b"%b%b: %d\r\n" % (outbound, RANK_HEADER, self.rank))

    def abandon(self) -> None:
        """End the wait for a first byte now; does nothing once bytes flow or when the wait is over."""
        if self.limit is not None and not self.limit.expired:
            self.abandoned = True
            self.limit.end()


class Waiting(msgspec.Struct, frozen=True, gc=False):
    """Prompt tokens that wait for a first byte, and since when the engine has been silent with one of them; None: with none."""

    tokens: int
    since: float | None


class InFlight:
    """Attempts by engine."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._heard: dict[str, float] = {}
        self._attempts: defaultdict[str, set[Attempt]] = defaultdict(set)
        self.sent = SentPrefixes()
        self._lines: defaultdict[str, WaitingLine] = defaultdict(WaitingLine)
        self._counts: dict[str, int] = {}
        self.changed: set[str] = set()
        """Engines whose load is another than when whoever keeps account of that last cleared this set."""
        self.freed: Callable[[], None] | None = None
        """Called when a request has ended, while somebody waits for that."""
        self.counts: Mapping[str, int] = MappingProxyType(self._counts)

    def attempt(
        self,
        engine: str,
        tokens: int | None = None,
        work: int = 0,
        held: EnginePlacement | None = None,
        pieces: Pieces = (),
        now: float | None = None,
    ) -> Attempt:
        """One request at `engine`, to be counted for as long as a `with` block runs, its `work` until it has a token.

        `held` is where its prompt's KV lies at the engine, `pieces` the hashes of its beginning. `now` is on the clock, for those
        who know.
        """
        rank = None
        if held is not None and held.rank is not None:
            rank = rank_for(held, [attempt.rank for attempt in self._attempts.get(engine, ())])
        return Attempt(self, engine, tokens, work, pieces, self._clock() if now is None else now, rank)

    def begin(self, attempt: Attempt) -> None:
        """Count it, and remember where its prompt went.

        That is not taken back when it fails: the next prompt that begins alike goes there and makes it true, or the engine
        fails for good, and is forgotten.
        """
        engine, since = attempt.engine, attempt.since
        self.changed.add(engine)
        self._attempts[engine].add(attempt)
        self._counts[engine] = self._counts.get(engine, 0) + 1
        if attempt.work:
            self._lines[engine].join(attempt, attempt.work, since)
        if attempt.pieces:
            self.sent.learn(engine, attempt.pieces, since)

    def computed(self, attempt: Attempt) -> None:
        """Its prompt is computed: a token came."""
        if attempt.work:
            self.changed.add(attempt.engine)
            self._lines[attempt.engine].through(attempt, self._clock())

    def end(self, attempt: Attempt, now: float | None = None) -> None:
        """Count it no more. `now` is on the clock, for those who know."""
        engine = attempt.engine
        self.changed.add(engine)
        self._attempts[engine].discard(attempt)
        self._counts[engine] -= 1
        if attempt.work:
            self._lines[engine].leave(attempt, self._clock() if now is None else now)
        if self.freed is not None:
            self.freed()

    def queue(self, engine: str) -> Queue:
        """What `engine` has to compute for requests without a token."""
        line = self._lines.get(engine)
        return EMPTY_QUEUE if line is None else line.queue

    def heard(self, engine: str, now: float | None = None) -> None:
        """The engine produced something. `now` is on the clock, for those who know."""
        self._heard[engine] = self._clock() if now is None else now

    def last_heard(self, engine: str) -> float:
        """When the engine last produced something, on the clock; long ago if never."""
        return self._heard.get(engine, -math.inf)

    def waiting(self, engine: str) -> Waiting:
        """What `engine` has been given and not begun to answer."""
        waiting = [a for a in self._attempts.get(engine, ()) if a.limit is not None and a.tokens is not None]
        if not waiting:
            return Waiting(0, None)
        oldest = min(attempt.since for attempt in waiting)
        return Waiting(sum(attempt.tokens or 0 for attempt in waiting), max(oldest, self._heard.get(engine, oldest)))

    def abandon(self, engine: str) -> None:
        """End every wait for a first byte from `engine`."""
        for attempt in tuple(self._attempts.get(engine, ())):
            attempt.abandon()

    @property
    def total(self) -> int:
        return sum(self._counts.values())
