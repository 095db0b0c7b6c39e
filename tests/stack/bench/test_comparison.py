"""Strategies are measured on the same requests, with no cache in common."""

from __future__ import annotations

from stack.bench.arm import Arm, Shape
from stack.bench.comparison import Comparison, Workload
from stack.traffic.request import Outcome, Request
from stack.traffic.scenarios import Sizes


class _Client:
    """Answers at once and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    async def ask(self, request: Request, began: float) -> tuple[Outcome, str | None]:
        self.asked.append(request)
        return Outcome(kind=request.kind, started=0.0, first_token_seconds=0.2, path="direct"), "an answer"


async def _measure(strategy: str) -> tuple[list[Request], dict[str, int]]:
    now = [0.0]

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    client = _Client()
    workload = Workload(rate=2.0, seconds=10.0, seed=7, sizes=Sizes(context=2048, answer=8))
    comparison = Comparison(client, workload, "n", emulated=True, clock=lambda: now[0], sleep=sleep)
    measured = await comparison.measure(Arm(Shape(0, 2), "mixed", strategy))
    assert (measured.shape, measured.scenario, measured.strategy, measured.summary.emulated) == ("0+2", "mixed", strategy, True)
    return client.asked, measured.summary.paths


async def test_every_strategy_gets_the_same_requests_and_shares_no_cache() -> None:
    first, paths = await _measure("round_robin")
    second, _ = await _measure("kv_aware")
    assert len(first) > 10
    assert paths == {"direct": len(first)}
    assert [(request.messages, request.session) for request in first] == [(request.messages, request.session) for request in second]
    assert {request.salt for request in first} == {"n-0+2-mixed-round_robin"}
    assert {request.salt for request in second} == {"n-0+2-mixed-kv_aware"}
