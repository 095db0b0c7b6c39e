"""Keep a session on one engine, by consistent hashing with bounded loads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from stack.fleet.engine import Engine
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.strategies import base, rendezvous
from stack.strategies.load import least_loaded, refuse_empty

NO_SESSION_KEY = "no_session_key"


@base.register("session")
@dataclass(frozen=True, slots=True)
class Session:
    """A session's home is the engine of highest random weight; a full home passes the request on to the next one.

    No engine gets more than `load_factor` times the average (Mirrokni, Thorup and Zadimoghaddam 2018), but one with fewer
    than `light_load` requests is never called full: below that the average is too small to be worth a lost cache.
    """

    load_factor: Annotated[float, Meta(ge=1, le=100, description="full is an engine with so many times the average")] = 1.25
    light_load: Annotated[int, Meta(ge=0, le=10_000, description="but none with fewer requests than this")] = 4

    def choose(self, request: RouteRequest, candidates: Sequence[Engine]) -> Choice:
        """The session's engine; without a key the least loaded one, as a fallback. Raises EmptyPoolError."""
        refuse_empty(candidates)
        if request.session_key is None:
            chosen = least_loaded(candidates, request.sequence)
            return Choice(chosen.name, reason="least_loaded", fallback=NO_SESSION_KEY)
        preferred = rendezvous.ranked(rendezvous.key_of(request.session_key), candidates)
        capacity = self._capacity(candidates)
        # With a factor of at least 1 some engine is at or below the average, so there always is one with room.
        chosen = next(engine for engine in preferred if engine.in_flight < capacity)
        reason = "session_home" if chosen is preferred[0] else "session_overflow"
        return Choice(chosen.name, reason=reason, scores=_scores(preferred, capacity), ranked_by="rank")

    def _capacity(self, candidates: Sequence[Engine]) -> int:
        total = sum(engine.in_flight for engine in candidates) + 1  # with this request
        return max(math.ceil(self.load_factor * total / len(candidates)), self.light_load)


def _scores(preferred: Sequence[Engine], capacity: int) -> dict[str, dict[str, float]]:
    return {
        engine.name: {"rank": float(rank), "in_flight": float(engine.in_flight), "capacity": float(capacity)}
        for rank, engine in enumerate(preferred)
    }
