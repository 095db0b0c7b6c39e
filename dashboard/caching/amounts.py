"""Amounts as people read them; what is not known is said so."""

from __future__ import annotations

from dashboard import notices
from dashboard.promapi import Sample
from stack.control.tiers import size
from stack.metrics.family import Label

_STEPS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"))


def lasting(seconds: float | None) -> str:
    """A stretch of time in its own measure: 340 ms, 4.20 s, 12 min, 3.5 h."""
    if seconds is None or seconds < 120:
        return notices.seconds(seconds)
    unit, name = next((unit, name) for unit, name in _STEPS if seconds >= 2 * unit)
    return f"{seconds / unit:.3g} {name}"


def memory(amount: float | None) -> str:
    """Bytes as GiB or MiB."""
    return notices.UNKNOWN if amount is None else size(round(amount))


def place(sample: Sample) -> str:
    """The engine, server or store that a sample is of."""
    return sample.labels.get(Label.REPLICA, "?")
