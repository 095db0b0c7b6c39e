"""Instruments made from declared families."""

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from stack.adapters import instruments
from stack.metrics.family import Emitter, Family, Kind, Label, Unit

EVENTS = Family("kvdeck_test_events_total", Kind.COUNTER, Unit.NONE, "Events.", (Label.REASON,), Emitter.ROUTER)
DEPTH = Family("kvdeck_test_depth", Kind.GAUGE, Unit.NONE, "Depth.", (), Emitter.ROUTER)
TIME = Family("kvdeck_test_seconds", Kind.HISTOGRAM, Unit.SECONDS, "Time.", (), Emitter.ROUTER, (0.1, 1.0))


def test_instruments_carry_the_declared_names_labels_and_buckets() -> None:
    registry = CollectorRegistry()
    instruments.counter(EVENTS, registry).labels("late").inc()
    instruments.gauge(DEPTH, registry).set(2)
    instruments.histogram(TIME, registry).observe(0.5)
    assert generate_latest(registry).decode() == (
        "# HELP kvdeck_test_events_total Events.\n"
        "# TYPE kvdeck_test_events_total counter\n"
        'kvdeck_test_events_total{reason="late"} 1.0\n'
        "# HELP kvdeck_test_depth Depth.\n"
        "# TYPE kvdeck_test_depth gauge\n"
        "kvdeck_test_depth 2.0\n"
        "# HELP kvdeck_test_seconds Time.\n"
        "# TYPE kvdeck_test_seconds histogram\n"
        'kvdeck_test_seconds_bucket{le="0.1"} 0.0\n'
        'kvdeck_test_seconds_bucket{le="1.0"} 1.0\n'
        'kvdeck_test_seconds_bucket{le="+Inf"} 1.0\n'
        "kvdeck_test_seconds_count 1.0\n"
        "kvdeck_test_seconds_sum 0.5\n"
    )


def test_a_family_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="kvdeck_test_depth is a gauge, not a counter"):
        instruments.counter(DEPTH, CollectorRegistry())
