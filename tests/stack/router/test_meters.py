"""Label children are kept between counts and gone when they should be."""

import pytest
from prometheus_client import CollectorRegistry, Counter

from stack.router.meters import Children, code


def test_a_child_is_made_once_and_dropped_by_one_label() -> None:
    registry = CollectorRegistry()
    counter = Counter("things", "Things.", ["backend", "reason"], registry=registry)
    children = Children(counter.labels, counter.remove)
    assert children("a", "x") is children("a", "x")
    children("a", "x").inc()
    children("a", "y").inc()
    children("b", "x").inc()
    children.drop(0, "a")
    left = [sample.labels for family in registry.collect() for sample in family.samples]
    assert left == [{"backend": "b", "reason": "x"}]
    children("a", "x").inc()
    assert registry.get_sample_value("things_total", {"backend": "a", "reason": "x"}) == 1.0


@pytest.mark.parametrize(("status", "expected"), [(200, "2xx"), (404, "4xx"), (499, "aborted"), (504, "5xx")])
def test_statuses_have_classes(status: int, expected: str) -> None:
    assert code(status) == expected
