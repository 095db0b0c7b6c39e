"""Several workers' samples told as one router's."""

from collections.abc import Sequence

import pytest

from stack.metrics import catalog
from stack.metrics.catalog import CATALOG
from stack.metrics.family import Emitter, Family, Kind
from stack.metrics.merging import Exposed, Labels, Totals, merged

REQUESTS = catalog.ROUTER_REQUESTS.name
IN_FLIGHT = catalog.ROUTER_IN_FLIGHT.name
Samples = dict[str, Sequence[tuple[str, Labels, float]]]
OK = (("code", "2xx"),)
BAD = (("code", "5xx"),)


def _requests(*counts: float) -> Samples:
    return {REQUESTS: [(REQUESTS, labels, count) for labels, count in zip((OK, BAD), counts, strict=False)]}


def _gauge(family: str, value: float) -> Samples:
    return {family: [(family, OK, value)]}


def test_counters_are_summed_by_their_labels_and_absent_is_not_zero() -> None:
    assert merged([_requests(3), _requests(4, 1)]) == _requests(7, 1)
    assert merged([]) == {}


def test_a_histogram_is_summed_bucket_by_bucket() -> None:
    name = catalog.ROUTER_TTFT.name

    def times(low: float, every: float, total: float) -> Exposed:
        buckets = [(f"{name}_bucket", (("le", bound),), count) for bound, count in (("0.1", low), ("+Inf", every))]
        return {name: [*buckets, (f"{name}_sum", (), total)]}

    assert merged([times(1, 2, 0.5), times(0, 3, 9.0)]) == times(1, 5, 9.5)


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        (catalog.ROUTER_IN_FLIGHT, 4.0),
        (catalog.ROUTER_ENGINE_HEALTH, 3.0),
        (catalog.ROUTER_GENERATION, 1.0),
        (catalog.ROUTER_PREFILL_RATE, 2.0),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_gauge_is_merged_by_its_familys_rule(family: Family, expected: float) -> None:
    assert merged([_gauge(family.name, 1.0), _gauge(family.name, 3.0)]) == _gauge(family.name, expected)


def test_every_gauge_of_a_router_has_a_rule_and_nothing_else_has() -> None:
    expected = {name for name, family in CATALOG.items() if family.emitter is Emitter.ROUTER and family.kind is Kind.GAUGE}
    assert {name for name, family in CATALOG.items() if family.merge is not None} == expected


def test_a_silent_worker_counts_as_last_heard_and_its_gauges_are_missing() -> None:
    totals = Totals()
    totals.heard(0, _requests(5) | _gauge(IN_FLIGHT, 2))
    totals.heard(1, _requests(7) | _gauge(IN_FLIGHT, 1))
    assert totals.exposed([0, 1]) == _requests(12) | _gauge(IN_FLIGHT, 3)
    assert totals.exposed([0]) == _requests(12) | _gauge(IN_FLIGHT, 2)
    assert totals.exposed([]) == _requests(12)


def test_what_a_worker_counted_outlives_it() -> None:
    totals = Totals()
    totals.heard(0, _requests(5, 1) | _gauge(IN_FLIGHT, 2))
    totals.ended(0)
    assert totals.exposed([0]) == _requests(5, 1)
    totals.heard(0, _requests(1))
    totals.ended(0)
    totals.heard(0, _requests(2))
    assert totals.exposed([0]) == _requests(8, 1)
    totals.ended(1)  # never heard of
    assert totals.exposed([]) == _requests(8, 1)
