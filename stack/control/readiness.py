"""For how long how many engines of a pool were ready."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from itertools import pairwise

from stack.control.members import Member
from stack.fleet.engine import Health
from stack.model.tier import Pool

CHANGES_MAX = 4_096  # of the numbers; older ones are forgotten, and what was before them is unknown

Ready = Mapping[Pool, int | None]


def ready(members: Iterable[Member], model: str) -> Ready:
    """How many engines of `model` are ready now, by pool; not known where nobody tells the health of one that runs."""
    numbers: dict[Pool, int | None] = dict.fromkeys(Pool, 0)
    for member in members:
        if member.model == model and (counted := numbers[member.pool]) is not None:
            unknown = member.health is Health.UNKNOWN and member.listed and not member.starting
            numbers[member.pool] = None if unknown else counted + (member.health is Health.READY)
    return numbers


class Readiness:
    """Numbers of ready engines by pool, each from a moment (Unix seconds) to the next; None where they were not known."""

    def __init__(self) -> None:
        self._noted: deque[tuple[float, Ready]] = deque(maxlen=CHANGES_MAX)

    def note(self, at: float, ready: Ready) -> None:
        """So many are ready at `at`, which is no earlier than what was noted before."""
        if not self._noted or self._noted[-1][1] != ready:
            self._noted.append((at, ready))

    def known_since(self, until: float) -> float | None:
        """From when to `until` the numbers of all pools were known without a gap; None where they were not."""
        since = None
        for at, ready in reversed(self._noted):
            if at >= until:
                continue
            if None in ready.values():
                break
            since = at
        return since

    def engine_seconds(self, pool: Pool, since: float, until: float) -> float | None:
        """Ready engines times seconds, from `since` to `until`; None where that is not known all the time.

        What was noted last is taken to hold on: it is looked at again and again.
        """
        if not self._noted or since < self._noted[0][0]:
            return None
        total = 0.0
        noted = [*self._noted, (max(until, self._noted[-1][0]), {})]
        for (begin, ready), (end, _) in pairwise(noted):
            overlap = min(end, until) - max(begin, since)
            number = ready.get(pool)
            if overlap > 0 and number is None:
                return None
            total += max(overlap, 0.0) * (number or 0)
        return total
