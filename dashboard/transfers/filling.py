"""How long until something is full, by a straight line through what was seen; unknown where that tells nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard import amounts
from stack.control.straight_line import Line

STEADY = 0.01  # of the whole
MOST_SECONDS = 7 * 86_400.0  # beyond, a line through some minutes tells nothing


@dataclass(frozen=True, slots=True)
class Filling:
    """`value` for people, and `why` it is so."""

    value: str
    why: str


def filling(points: Sequence[tuple[float, float]], full: float = 1.0) -> Filling:
    """Of (seconds, amount), in the order of time: when `full` is reached if it goes on so."""
    if not points:
        return Filling(amounts.UNKNOWN, "Nobody tells how full it is.")
    start, seen = points[0][0], [amount for _, amount in points]
    _, slope = Line.through([(at - start, amount) for at, amount in points]).parts()
    now = points[-1][1]
    if now >= full:
        return Filling("full", "It is full now.")
    if max(seen) - min(seen) < STEADY * full:
        return Filling("not filling", "It hardly changed over this range.")
    if slope.value is None or slope.low is None:
        return Filling(amounts.UNKNOWN, f"Whether it fills cannot be told: {slope.unknown}.")
    if slope.low <= 0 or (full - now) / slope.value > MOST_SECONDS:
        return Filling("not filling", "Over this range it does not rise beyond its own ups and downs.")
    left = (full - now) / slope.value
    rise = amounts.percent(slope.value * 60)
    return Filling(amounts.age(left), f"If it goes on rising by {rise} of it a minute, as over this range.")
