"""Each product's recording reads as what its router did."""

import pytest

import stack.engines.routers  # noqa: F401  # registers every product
from stack.adapters.exposition import parse
from stack.engines.routers.base import RouterReading, UnknownRouterError, read, routers, wanted
from stack.engines.samples import Histogram
from tests.exporters.recorded import exposition

ONE, TWO = "http://127.0.0.1:7101", "http://127.0.0.1:7102"

SIDECAR = b"""\
model_invocations_total{metric_source="reverse-proxy",pod_name="a"} 12
model_invocations_total{metric_source="model-container",pod_name="a"} 11
model_errors_total{metric_source="reverse-proxy",pod_name="a"} 1
model_concurrent_requests{metric_source="reverse-proxy",pod_name="a"} 3
model_latency_milliseconds_bucket{metric_source="reverse-proxy",le="250"} 4
model_latency_milliseconds_bucket{metric_source="reverse-proxy",le="+Inf"} 12
model_latency_milliseconds_sum{metric_source="reverse-proxy"} 9000
model_latency_milliseconds_count{metric_source="reverse-proxy"} 12
"""


def reading(document: bytes) -> tuple[str, RouterReading]:
    return read(parse(document, wanted()))


def without_durations(found: RouterReading) -> RouterReading:
    return RouterReading(found.received, found.failed, None, None, found.sent, found.in_flight, found.healthy, found.own_in_flight)


def test_a_file_each() -> None:
    assert routers.names() == ("hyperpod_sidecar", "production_stack", "sglang_router", "vllm_router")


def test_production_stack_tells_requests_engines_and_what_is_under_way() -> None:
    product, found = reading(exposition("production-stack-router-a6c01db"))
    assert product == "production_stack"
    assert without_durations(found) == RouterReading(
        received=3943.0, sent={TWO: 2443.0, ONE: 1500.0}, in_flight={ONE: 0.0, TWO: 0.0}, healthy={ONE: 1.0, TWO: 1.0}
    )
    assert found.duration is not None
    assert (found.duration.count, round(found.duration.sum, 3)) == (3943.0, 4.290)


def test_vllm_router_tells_no_failures() -> None:
    product, found = reading(exposition("vllm-router-0.1.17"))
    assert product == "vllm_router"
    assert without_durations(found) == RouterReading(
        received=14030.0, sent={TWO: 8846.0, ONE: 5186.0}, in_flight={ONE: 0.0, TWO: 0.0}, healthy={ONE: 1.0, TWO: 1.0}
    )
    assert found.duration is not None
    assert found.duration.buckets[:2] == (("0.001", 13977.0), ("0.005", 14030.0))


def test_sglang_router_tells_no_engine_of_a_request() -> None:
    product, found = reading(exposition("sglang-router-0.3.2"))
    assert product == "sglang_router"
    assert without_durations(found) == RouterReading(
        received=18223.0, failed=0.0, in_flight={ONE: 0.0, TWO: 0.0}, healthy={ONE: 1.0, TWO: 1.0}
    )
    assert found.duration is not None
    assert found.duration.count == 18222.0  # its health check is none of them


def test_sglang_router_s_answers_above_399_are_failures() -> None:
    more = b'smg_router_upstream_responses_total{status_code="503",error_code="x"} 4\n'
    assert reading(exposition("sglang-router-0.3.2") + more)[1].failed == 4.0


def test_production_stack_s_failures_are_told_once_there_are_some() -> None:
    more = b'vllm:request_errors_total{model="m",server="a",error_type="timeout"} 2\n'
    assert reading(exposition("production-stack-router-a6c01db") + more)[1].failed == 2.0


def test_the_sidecar_s_proxy_counts_each_request_once_and_its_milliseconds_are_seconds() -> None:
    assert reading(SIDECAR) == (
        "hyperpod_sidecar",
        RouterReading(received=12.0, failed=1.0, duration=Histogram((("0.25", 4.0), ("+Inf", 12.0)), 9.0, 12.0), own_in_flight=3.0),
    )


def test_the_sidecar_s_model_counts_where_no_proxy_does() -> None:
    product, found = reading(b'model_invocations_total{metric_source="model-container"} 11\n')
    assert (product, found) == ("hyperpod_sidecar", RouterReading(received=11.0))


@pytest.mark.parametrize("name", ["vllm-0.32-plain", "lmcache-0.5.6-mp-server"])
def test_what_is_no_router_is_refused_with_those_that_are_known(name: str) -> None:
    with pytest.raises(UnknownRouterError, match="known: hyperpod_sidecar, production_stack, sglang_router, vllm_router"):
        reading(exposition(name))
