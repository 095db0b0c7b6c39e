"""Tallies are scraped as prometheus_client's own instruments would be."""

from dataclasses import replace

import prometheus_client
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest

from stack.adapters.tally import Counters, Spreads
from stack.metrics.family import Emitter, Family, Kind, Label, Unit

EVENTS = Family("kvdeck_test_events_total", Kind.COUNTER, Unit.NONE, "Events.", (Label.BACKEND, Label.REASON), Emitter.ROUTER)
TIME = Family("kvdeck_test_seconds", Kind.HISTOGRAM, Unit.SECONDS, "Time.", (Label.PATH,), Emitter.ROUTER, (0.1, 1.0))


@pytest.mark.parametrize("bounds", [(0.1, 1.0), (-0.5, 0.1, 1.0)], ids=["times", "differences"])
@given(values=st.lists(st.floats(-1.0, 5.0) | st.sampled_from([0.1, 1.0]), max_size=20))
def test_a_scrape_is_what_locked_instruments_would_give(bounds: tuple[float, ...], values: list[float]) -> None:
    ours, theirs = CollectorRegistry(), CollectorRegistry()
    counters, spreads = Counters(EVENTS, ours), Spreads(replace(TIME, buckets=bounds), ours)
    counter = prometheus_client.Counter("kvdeck_test_events", "Events.", ["backend", "reason"], registry=theirs)
    histogram = prometheus_client.Histogram("kvdeck_test_seconds", "Time.", ["path"], registry=theirs, buckets=bounds)
    for value in values:
        counters("a", "late").inc(2)
        spreads("dpd").observe(value)
        counter.labels("a", "late").inc(2)
        histogram.labels("dpd").observe(value)
    assert generate_latest(ours) == generate_latest(theirs)


def test_a_series_is_one_and_ends_by_one_label() -> None:
    registry = CollectorRegistry()
    counters = Counters(EVENTS, registry)
    assert counters("a", "x") is counters("a", "x")
    for labels in (("a", "x"), ("a", "y"), ("b", "x")):
        counters(*labels).inc()
    counters.drop(0, "a")
    assert [sample.labels for family in registry.collect() for sample in family.samples] == [{"backend": "b", "reason": "x"}]
    counters("a", "x").inc()
    assert registry.get_sample_value("kvdeck_test_events_total", {"backend": "a", "reason": "x"}) == 1.0


def test_a_family_of_another_kind_or_labels_that_are_missing_are_refused() -> None:
    with pytest.raises(ValueError, match="kvdeck_test_seconds is a histogram, not a counter"):
        Counters(TIME, CollectorRegistry())
    with pytest.raises(ValueError, match="has 2 labels, not 1"):
        Counters(EVENTS, CollectorRegistry())("a")
