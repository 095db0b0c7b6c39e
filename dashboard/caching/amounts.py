"""Amounts as people read them; what is not known is said so."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from dashboard import notices
from dashboard.promapi import Sample
from stack.control.tiers import size
from stack.metrics.family import Label
from stack.metrics.promql import KEPT

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


def fleet(sample: Sample) -> str:
    """Which fleet a sample is of; empty where nobody tells fleets apart."""
    return " / ".join(sample.labels[label] for label in KEPT if sample.labels.get(label))


def place(sample: Sample) -> str:
    """The engine, server or store that a sample is of."""
    return sample.labels.get(Label.REPLICA, "?")


def places(*asked: Sequence[Sample], by: Label = Label.REPLICA) -> Callable[[Sample], str]:
    """How the places of these samples are told: with their fleet where they are of several, which may use one name twice."""
    several = len({fleet(sample) for samples in asked for sample in samples}) > 1

    def told(sample: Sample) -> str:
        name = sample.labels.get(by, "?")
        return " / ".join(filter(None, (fleet(sample), name))) if several else name

    return told


def beginning(name: str, fleets: Collection[str]) -> str:
    """How a sentence on the fleet begins: with its name where there are several."""
    return f"`{name}`: " if len(fleets) > 1 and name else ""
