"""Points as text, as prometheus_client would write them."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from exporters.collector import Point
from exporters.render import render
from stack.adapters.instruments import samples
from stack.engines.samples import Histogram
from stack.metrics import catalog
from stack.metrics.family import Label
from stack.model.tier import Tier


class Told(Collector):
    """A collector of one family."""

    def __init__(self, family: Metric) -> None:
        self.family = family

    def collect(self) -> Iterable[Metric]:
        return [self.family]


TRANSFER = {Label.REPLICA: "decode-0", Label.TRANSPORT: "nixl"}


def test_families_come_in_the_catalogues_order_and_a_series_comes_once() -> None:
    points = [
        Point(catalog.BUILD_INFO, {Label.VERSION: 'a"b'}, 1.0),
        Point(catalog.CACHE_EVICTED_KEYS, {Label.TIER: Tier.L2, Label.REPLICA: "redis"}, 7.0),
        Point(catalog.CACHE_EVICTED_KEYS, {Label.REPLICA: "redis", Label.TIER: Tier.L2}, 8.0),
    ]
    assert render(points).decode() == (
        f"# HELP kvdeck_cache_evicted_keys_total {catalog.CACHE_EVICTED_KEYS.help}\n"
        "# TYPE kvdeck_cache_evicted_keys_total counter\n"
        'kvdeck_cache_evicted_keys_total{replica="redis",tier="l2"} 7.0\n'
        f"# HELP kvdeck_build_info {catalog.BUILD_INFO.help}\n"
        "# TYPE kvdeck_build_info gauge\n"
        'kvdeck_build_info{version="a\\"b"} 1.0\n'
    )


def test_a_histogram_keeps_the_engines_buckets_and_has_one_without_any() -> None:
    with_buckets = Point(catalog.KV_TRANSFER_DURATION, TRANSFER, Histogram((("0.5", 1.0), ("+Inf", 2.0)), 3.5, 2.0))
    without = Point(catalog.KV_TRANSFER_DURATION, TRANSFER, Histogram((), 3.5, 2.0))
    assert [line for line in render([with_buckets]).decode().splitlines() if line[0] != "#"] == [
        'kvdeck_kv_transfer_duration_seconds_bucket{le="0.5",replica="decode-0",transport="nixl"} 1.0',
        'kvdeck_kv_transfer_duration_seconds_bucket{le="+Inf",replica="decode-0",transport="nixl"} 2.0',
        'kvdeck_kv_transfer_duration_seconds_count{replica="decode-0",transport="nixl"} 2.0',
        'kvdeck_kv_transfer_duration_seconds_sum{replica="decode-0",transport="nixl"} 3.5',
    ]
    assert 'bucket{le="+Inf",replica="decode-0",transport="nixl"} 2.0' in render([without]).decode()


def test_nothing_is_an_empty_exposition() -> None:
    assert render([]) == b""


@given(st.text(), st.floats())
def test_a_series_is_written_as_prometheus_client_writes_it(text: str, value: float) -> None:
    family = samples(catalog.BUILD_INFO)
    family.add_sample(catalog.BUILD_INFO.name, {"version": text}, value)
    registry = CollectorRegistry()
    registry.register(Told(family))
    assert render([Point(catalog.BUILD_INFO, {Label.VERSION: text}, value)]) == generate_latest(registry)
