"""Learnt rates are shown, and only those."""

from prometheus_client import CollectorRegistry, generate_latest

from stack.cache.rates import Observation, RateBook
from stack.fleet.snapshot import Fleet, Member
from stack.model.rates import Rates
from stack.router.rate_collector import RateCollector
from tests.stack.strategies.fleets import engine

PROFILE = Rates(overhead_s=0.001, running_s=0.001, prefill_tokens_per_s=100, l1_tokens_per_s=1000, l2_tokens_per_s=500)


def test_a_rate_appears_when_requests_have_shown_it() -> None:
    registry, rates = CollectorRegistry(), RateBook(PROFILE)
    RateCollector(lambda: Fleet.of([Member(engine("a")), Member(engine("b"))]), rates).register(registry)
    for _ in range(200):
        rates.learn("a", Observation(seconds=20.001, computed_tokens=1000.0))
        rates.learn("a", Observation(seconds=5.001, computed_tokens=0.0, l1_tokens=10_000.0))
    samples = [line for line in generate_latest(registry).decode().splitlines() if not line.startswith("#")]
    assert [line.rpartition(" ")[0] for line in samples] == [
        'kvdeck_router_learned_prefill_tokens_per_second{backend="a",model_name="m",pool="decode"}',
        'kvdeck_router_learned_load_tokens_per_second{backend="a",model_name="m",tier="l1"}',
    ]
    assert [round(float(line.rpartition(" ")[2])) for line in samples] == [50, 2000]
