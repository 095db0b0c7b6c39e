"""Others decide along: on a share of the requests, soon after the decision, within a budget, and never in the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace
from prometheus_client import CollectorRegistry, generate_latest

from stack.engines.answer_facts import AnswerFacts
from stack.fleet.engine import Engine
from stack.model.placement import EnginePlacement, Placement
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.model.tier import Pool
from stack.router.applied import Served
from stack.router.errand import Errand
from stack.router.hindsight import Hindsight
from stack.router.planning import Candidates
from stack.router.shadowing import Shadowing
from stack.strategies.base import Strategy, create
from stack.strategies.disaggregation import DpdPolicy, Named, PoolStrategies
from tests.stack.router.errands import NAMED, ROUTE, chosen, engine, errand
from tests.stack.router.waiting import until
from tests.stack.strategies.test_shadow import Fixed


class Bench:
    """Shadowing by fake clocks; each look at the work clock costs `step` seconds of it."""

    def __init__(self, step: float = 0.0, chance: float = 0.0) -> None:
        self.now = self.worked = 0.0
        self.step, self.chance = step, chance
        self.failed: list[str] = []
        self.registry = CollectorRegistry()
        self.hindsight = Hindsight(self.registry)
        self.shadowing = Shadowing(self.hindsight, self.failed.append, lambda: self.now, self._work, lambda: self.chance)

    def _work(self) -> float:
        self.worked += self.step
        return self.worked

    def metrics(self) -> list[str]:
        lines = generate_latest(self.registry).decode().splitlines()
        return [line for line in lines if not line.startswith("#") and "_bucket" not in line]


def _sampled(share: float = 1.0, make: Callable[[str], Strategy] = create) -> Errand:
    beside = tuple(Named(name, make(name)) for name in ("round_robin", "session"))
    served = Served(PoolStrategies(NAMED, NAMED), DpdPolicy(True, 512), shadow_share=share, beside=dict.fromkeys(Pool, beside))
    return errand(served=served)


async def test_the_others_decide_soon_after_the_request_was_decided() -> None:
    bench, one = Bench(), _sampled()
    bench.shadowing.consider(one)
    assert not one.shadows
    await until(lambda: bool(one.shadows))
    assert [(shadow.strategy, shadow.engine, shadow.agrees) for shadow in one.shadows] == [("round_robin", "prefill-0", True)]
    assert bench.metrics() == [
        'kvdeck_router_shadow_decisions_total{model_name="m",state="agrees",strategy="round_robin"} 1.0',
        'kvdeck_router_shadow_gained_tokens_count{model_name="m",strategy="round_robin"} 1.0',
        'kvdeck_router_shadow_gained_seconds_count{model_name="m",strategy="round_robin"} 1.0',
        "kvdeck_router_shadow_cpu_seconds_total 0.0",
    ]


async def test_only_a_share_of_the_requests_is_sampled() -> None:
    bench = Bench(chance=0.05)
    left_out, sampled = _sampled(0.05), _sampled(0.06)
    for one in (left_out, sampled):
        bench.shadowing.consider(one)
        bench.shadowing.settle(one)
    assert (left_out.shadows, len(sampled.shadows)) == ((), 1)


async def test_a_request_that_is_over_first_is_decided_before_anyone_learns_from_it() -> None:
    bench, one = Bench(), _sampled()
    bench.shadowing.consider(one)
    bench.shadowing.settle(one)
    assert len(one.shadows) == 1
    bench.shadowing.run()
    assert 'kvdeck_router_shadow_decisions_total{model_name="m",state="agrees",strategy="round_robin"} 1.0' in bench.metrics()


async def test_beyond_its_budget_samples_are_skipped_and_counted() -> None:
    bench = Bench(step=0.015)
    errands = [_sampled() for _ in range(4)]
    for one in errands[:3]:
        bench.shadowing.consider(one)
    for _ in errands:
        bench.shadowing.run()
    assert [len(one.shadows) for one in errands[:3]] == [1, 1, 0]
    assert 'kvdeck_router_shadow_skipped_total{model_name="m"} 1.0' in bench.metrics()
    assert "kvdeck_router_shadow_cpu_seconds_total 0.03" in bench.metrics()
    bench.now += 1.0  # earns a fiftieth of it
    bench.shadowing.consider(errands[3])
    bench.shadowing.run()
    assert len(errands[3].shadows) == 1


async def test_they_take_a_slice_of_time_and_leave_the_rest_for_later() -> None:
    bench = Bench(step=0.0004)
    errands = [_sampled() for _ in range(3)]
    for one in errands:
        bench.shadowing.consider(one)
    bench.shadowing.run()
    assert [len(one.shadows) for one in errands] == [1, 0, 0]
    await until(lambda: all(one.shadows for one in errands))


class Broken(Fixed):
    def choose(self, request: RouteRequest, candidates: Sequence[Engine]) -> Choice:
        raise RuntimeError("cannot choose")


async def test_a_strategy_that_fails_as_a_shadow_is_counted() -> None:
    bench, one = Bench(), _sampled(make=lambda name: Broken(Choice("x", reason="x")))
    bench.shadowing.consider(one)
    bench.shadowing.run()
    assert (one.shadows, bench.failed) == ((), ["shadow"])


def test_what_is_known_of_a_choice_afterwards_is_measured() -> None:
    bench = Bench()
    two = Candidates((), (engine("decode-0"), engine("decode-1")))
    route = replace(ROUTE, placement=Placement({"decode-0": EnginePlacement(32), "decode-1": EnginePlacement(480)}, 700))
    known = chosen(Choice("decode-0", reason="turn", predicted_ttft_s=0.75), two)
    known.route, known.facts = route, AnswerFacts(cached_tokens=48)
    bench.hindsight.answered(known)
    bench.hindsight.answered(chosen(Choice("decode-1", reason="turn"), two))
    assert bench.metrics() == [
        'kvdeck_router_regret_tokens_count{model_name="m",strategy="session"} 1.0',
        'kvdeck_router_regret_tokens_sum{model_name="m",strategy="session"} 448.0',
        'kvdeck_router_index_error_tokens_count{model_name="m",strategy="session"} 1.0',
        'kvdeck_router_ttft_error_seconds_count{model_name="m",strategy="session"} 1.0',
        "kvdeck_router_shadow_cpu_seconds_total 0.0",
    ]
