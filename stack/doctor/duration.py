"""Prometheus' durations."""

from __future__ import annotations

import re

_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}
_PART = re.compile(r"(\d+)(ms|[smhdwy])")


def seconds(duration: str) -> float:
    """Seconds of one of Prometheus' durations: 5,400 of `1h30m`, 0 of what is none."""
    return sum(int(number) * _SECONDS[unit] for number, unit in _PART.findall(duration))
