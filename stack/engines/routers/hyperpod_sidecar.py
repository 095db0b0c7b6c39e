"""The sidecar of HyperPod's inference operator (port 9113), by the names and labels its documentation gives.

No recording: the documentation gives no kinds, so a latency without buckets, sum and count is not told. The proxy and the
model's container may both count a request, under `metric_source`: the proxy's count is taken where there is one.
"""

from __future__ import annotations

from stack.engines.routers.base import RouterReading, histogram_names, routers
from stack.engines.samples import Samples

_RECEIVED = "model_invocations_total"
_FAILED = "model_errors_total"
_CONCURRENT = "model_concurrent_requests"
_LATENCY = "model_latency_milliseconds"
_FIRST_BYTE = "model_ttfb_milliseconds"
_PROXY = "reverse-proxy"
_SECONDS = 0.001  # a millisecond


@routers.register("hyperpod_sidecar")
class HyperPodSidecar:
    """One engine pod's requests."""

    mark = _RECEIVED
    wanted = frozenset({_RECEIVED, _FAILED, _CONCURRENT}) | histogram_names(_LATENCY) | histogram_names(_FIRST_BYTE)

    def read(self, samples: Samples) -> RouterReading:
        counted = _once(samples)
        latency, first_byte = counted.histogram(_LATENCY), counted.histogram(_FIRST_BYTE)
        return RouterReading(
            received=counted.total(_RECEIVED),
            failed=counted.total(_FAILED),
            duration=latency and latency.scaled(_SECONDS),
            first_byte=first_byte and first_byte.scaled(_SECONDS),
            own_in_flight=counted.total(_CONCURRENT),
        )


def _once(samples: Samples) -> Samples:
    """Each request once: the proxy's series of a family that has some, else all."""
    proxied = {sample.name for sample in samples if sample.labels.get("metric_source") == _PROXY}
    return Samples(sample for sample in samples if sample.name not in proxied or sample.labels.get("metric_source") == _PROXY)
