from __future__ import annotations

from stack.api.ring import DecisionRing, Filter
from stack.control.link import RouterReport
from tests.stack.api.test_link_routes import _decision


def test_the_memory_of_decisions_is_bounded() -> None:
    ring = DecisionRing(capacity=2)
    ring.take(RouterReport(id="r", version=1, generation=1, decisions=tuple(_decision(n) for n in range(5)), dropped=1))
    ring.take(RouterReport(id="r", version=1, generation=1, dropped=2))
    assert [record.request_id for record in ring.newest(10, Filter())] == ["r4", "r3"]
    assert ring.dropped == 3
