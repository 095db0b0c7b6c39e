"""When to try again what failed."""

from __future__ import annotations

from dataclasses import dataclass

FIRST_SECONDS = 1.0
MOST_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Failure:
    """The latest of `times` failures in a row, and the clock's second before which nothing is tried again."""

    message: str
    times: int
    not_before: float


def failed(before: Failure | None, message: str, now: float) -> Failure:
    """One more failure: the pause doubles from one second to half a minute."""
    times = 1 + (before.times if before else 0)
    return Failure(message, times, now + min(MOST_SECONDS, FIRST_SECONDS * 2 ** min(times - 1, 10)))
