"""Samples that go from one process to another and are text again."""

import msgspec
import pytest
from prometheus_client import CollectorRegistry, generate_latest

from stack.adapters.exposed import collected, decode, encode, text
from stack.adapters.instruments import counter, gauge, histogram
from stack.metrics import catalog


def test_what_arrives_reads_as_what_was_sent() -> None:
    registry = CollectorRegistry()
    counter(catalog.ROUTER_FALLBACKS, registry).labels("m", 'a "reason"').inc(3)
    gauge(catalog.ROUTER_QUEUED, registry).labels("m").set(2)
    histogram(catalog.ROUTER_TTFT, registry).labels("m", "direct").observe(0.03)
    assert text(decode(encode(collected(registry)))) == generate_latest(registry)


def test_half_a_message_is_none() -> None:
    with pytest.raises(msgspec.DecodeError):
        decode(encode({"kvdeck_router_generation": [("kvdeck_router_generation", (), 1.0)]})[:-3])
