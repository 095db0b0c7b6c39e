"""The state's exposition is exactly what is there now."""

import time

from prometheus_client import CollectorRegistry, generate_latest

from stack.cache.rates import RateBook
from stack.fleet.engine import Engine, Health
from stack.fleet.snapshot import Fleet, Member
from stack.model.rates import PROFILE
from stack.model.target import Target
from stack.model.tier import Pool
from stack.router.admission import Admission
from stack.router.applied import Configuration
from stack.router.in_flight import InFlight
from stack.router.lineup import Lineup
from stack.router.records import RecordBuffer
from stack.router.settings import RouterSettings
from stack.router.shelf import StrategyShelf
from stack.router.stalls import Stalls
from stack.router.state_collector import StateCollector
from stack.strategies.base import create, names

TARGET = Target(replica="d0", url="http://d", pool=Pool.DECODE, model="m", model_root="/m")


def _samples(registry: CollectorRegistry) -> list[str]:
    return [line for line in generate_latest(registry).decode().splitlines() if not line.startswith("#")]


def test_samples_follow_the_fleet() -> None:
    fleet = Fleet.of([Member(Engine(TARGET, health=Health.READY))])
    in_flight, registry = InFlight(), CollectorRegistry()
    now = 5.0
    configuration = Configuration(StrategyShelf(names(), create), clock=lambda: now)
    admission = Admission(in_flight, Lineup(in_flight, RateBook(PROFILE)), lambda: fleet)
    collector = StateCollector(
        lambda: fleet, in_flight, configuration, RecordBuffer(10), admission, Stalls(in_flight, RouterSettings(), time.monotonic)
    )
    collector.register(registry)
    with in_flight.attempt("d0"):
        assert _samples(registry) == [
            'kvdeck_router_engine_health{backend="d0",model_name="m",pool="decode",state="ready"} 1.0',
            'kvdeck_router_engine_health{backend="d0",model_name="m",pool="decode",state="not_ready"} 0.0',
            'kvdeck_router_engine_health{backend="d0",model_name="m",pool="decode",state="unknown"} 0.0',
            'kvdeck_router_engine_stalled_seconds{backend="d0",model_name="m",pool="decode"} 0.0',
            'kvdeck_router_in_flight_requests{backend="d0",model_name="m",pool="decode"} 1.0',
            'kvdeck_router_queued_requests{model_name="m"} 0.0',
            "kvdeck_router_generation 0.0",
            "kvdeck_router_records_dropped_total 0.0",
            "kvdeck_router_sent_prefixes_bytes 0.0",
        ]
    configuration.confirm()
    now = 7.5
    in_flight.sent.learn("d0", (1, 2, 3), 1.0)
    fleet = Fleet.of(())
    assert _samples(registry) == [
        "kvdeck_router_generation 0.0",
        "kvdeck_router_generation_age_seconds 2.5",
        "kvdeck_router_records_dropped_total 0.0",
        f"kvdeck_router_sent_prefixes_bytes {in_flight.sent.bytes}.0",
    ]
    assert in_flight.sent.bytes > 0
