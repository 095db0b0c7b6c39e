"""vLLM production-stack's router, as recorded of commit a6c01db.

It speaks under vLLM's own prefix, with the label `server`: `vllm:num_requests_running` and its prefix cache counters are
repeated from the engines and so left alone.
"""

from __future__ import annotations

from stack.engines.routers.base import RouterReading, histogram_names, routers
from stack.engines.samples import Samples

_RECEIVED = "vllm:num_incoming_requests_total"
_FAILED = "vllm:request_errors_total"
_DURATION = "vllm:request_latency_seconds"
_PREFILLING = "vllm:num_prefill_requests"
_DECODING = "vllm:num_decoding_requests"
_HEALTHY = "vllm:healthy_pods_total"  # a gauge, in spite of its name


@routers.register("production_stack")
class ProductionStack:
    """Requests by model, engines by URL. It counts errors from the first one on."""

    mark = _HEALTHY
    wanted = frozenset({_RECEIVED, _FAILED, _PREFILLING, _DECODING}) | histogram_names(_DURATION)

    def read(self, samples: Samples) -> RouterReading:
        prefilling, decoding = samples.by("server", _PREFILLING), samples.by("server", _DECODING)
        return RouterReading(
            received=samples.total(_RECEIVED),
            failed=samples.total(_FAILED),
            duration=samples.histogram(_DURATION),
            sent=samples.by("server", f"{_DURATION}_count"),
            in_flight={server: prefilling[server] + decoding[server] for server in prefilling.keys() & decoding.keys()},
            healthy=samples.by("server", _HEALTHY),
        )
