"""vllm-router (vllm-project/router), as recorded of 0.1.17.

What its circuit breakers count are attempts, retries among them: no count of failed requests is told.
"""

from __future__ import annotations

from stack.engines.routers.base import RouterReading, histogram_names, routers
from stack.engines.samples import Samples

_RECEIVED = "vllm_router_requests_total"
_SENT = "vllm_router_processed_requests_total"
_RUNNING = "vllm_router_running_requests"
_HEALTHY = "vllm_router_worker_health"
_DURATION = "vllm_router_generate_duration_seconds"


@routers.register("vllm_router")
class VllmRouter:
    """Requests by route, engines by URL."""

    mark = "vllm_router_active_workers"
    wanted = frozenset({_RECEIVED, _SENT, _RUNNING, _HEALTHY}) | histogram_names(_DURATION)

    def read(self, samples: Samples) -> RouterReading:
        return RouterReading(
            received=samples.total(_RECEIVED),
            duration=samples.histogram(_DURATION),
            sent=samples.by("worker", _SENT),
            in_flight=samples.by("worker", _RUNNING),
            healthy=samples.by("worker", _HEALTHY),
        )
