"""Instruments made from declared families."""

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from stack.adapters import instruments
from stack.metrics.family import Emitter, Family, Kind, Label, Unit

EVENTS = Family("kvdeck_test_events_total", Kind.COUNTER, Unit.NONE, "Events.", (Label.REASON,), Emitter.ROUTER)
DEPTH = Family("kvdeck_test_depth", Kind.GAUGE, Unit.NONE, "Depth.", (), Emitter.ROUTER)


def test_instruments_carry_the_declared_names_and_labels() -> None:
    registry = CollectorRegistry()
    instruments.counter(EVENTS, registry).labels("late").inc()
    assert generate_latest(registry).decode() == (
        "# HELP kvdeck_test_events_total Events.\n"
        "# TYPE kvdeck_test_events_total counter\n"
        'kvdeck_test_events_total{reason="late"} 1.0\n'
    )


def test_a_family_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="kvdeck_test_depth is a gauge, not a counter"):
        instruments.counter(DEPTH, CollectorRegistry())
