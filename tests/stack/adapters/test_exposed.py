"""Samples that go from one process to another and are text again."""

import msgspec
import pytest
from prometheus_client import CollectorRegistry, Gauge, generate_latest

from stack.adapters.exposed import collected, decode, encode, text
from stack.adapters.tally import Counters, Spreads
from stack.metrics import catalog


def test_what_arrives_reads_as_what_was_sent() -> None:
    registry = CollectorRegistry()
    Counters(catalog.ROUTER_FALLBACKS, registry)("m", 'a "reason"').inc(3)
    Gauge(catalog.ROUTER_QUEUED.name, catalog.ROUTER_QUEUED.help, ["model_name"], registry=registry).labels("m").set(2)
    Spreads(catalog.ROUTER_TTFT, registry)("m", "direct").observe(0.03)
    assert text(decode(encode(collected(registry)))) == generate_latest(registry)


def test_half_a_message_is_none() -> None:
    with pytest.raises(msgspec.DecodeError):
        decode(encode({"kvdeck_router_generation": [("kvdeck_router_generation", (), 1.0)]})[:-3])
