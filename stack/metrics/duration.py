"""Prometheus' durations, and where PromQL has them."""

from __future__ import annotations

import re
from collections.abc import Callable

_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}
_PART = re.compile(r"(\d+)(ms|[smhdwy])")
_DURATION = r"(?:\d+(?:ms|[smhdwy]))+"
# A string, which may hold anything; or what precedes a duration, and the duration.
_PLACE = re.compile(rf'"(?:[^"\\]|\\.)*"|(\[|\boffset\s+-?)({_DURATION})')


def seconds(duration: str) -> float:
    """Seconds of one of Prometheus' durations: 5,400 of `1h30m`, 0 of what is none."""
    return sum(int(number) * _SECONDS[unit] for number, unit in _PART.findall(duration))


def windows(query: str) -> list[str]:
    """The ranges that `query` looks back over, in its order; offsets are none."""
    return [place[2] for place in _PLACE.finditer(query) if place[1] == "["]


def with_durations(query: str, change: Callable[[str], str]) -> str:
    """`query` with every range and every offset changed. A subquery's step stays, and so does what strings and names say."""
    return _PLACE.sub(lambda place: place[0] if place[2] is None else place[1] + change(place[2]), query)
