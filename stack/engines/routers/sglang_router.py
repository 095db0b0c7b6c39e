"""sglang-router (the model gateway), as recorded of 0.3.2.

`smg_http_*` count health checks, too, and what it chose is counted by policy and not by engine: both are left alone.
"""

from __future__ import annotations

from stack.engines.routers.base import RouterReading, histogram_names, routers
from stack.engines.samples import Samples

_RECEIVED = "smg_router_requests_total"
_RESPONSES = "smg_router_upstream_responses_total"
_ACTIVE = "smg_worker_requests_active"
_HEALTHY = "smg_worker_health"
_DURATION = "smg_router_request_duration_seconds"


@routers.register("sglang_router")
class SglangRouter:
    """Requests by model and endpoint, engines by URL."""

    mark = "smg_worker_pool_size"
    wanted = frozenset({_RECEIVED, _RESPONSES, _ACTIVE, _HEALTHY}) | histogram_names(_DURATION)

    def read(self, samples: Samples) -> RouterReading:
        by_status = samples.by("status_code", _RESPONSES)
        failed = sum(responses for status, responses in by_status.items() if not status.startswith(("2", "3")))
        return RouterReading(
            received=samples.total(_RECEIVED),
            failed=failed if by_status else None,
            duration=samples.histogram(_DURATION),
            in_flight=samples.by("worker", _ACTIVE),
            healthy=samples.by("worker", _HEALTHY),
        )
