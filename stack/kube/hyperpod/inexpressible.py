"""Why an InferenceEndpointConfig cannot say some field of desired state."""

from __future__ import annotations

from collections.abc import Mapping

from stack.kube.hyperpod.documented import ONE_DECODER
from stack.model.tier import Pool

_ROUTERS = "this is kvdeck's router's own; HyperPod's has no such setting"
_QUEUES = "each engine's proxy has a queue of its own: queue must be queue_per_engine times the decode replicas"
_STORES = "the store's limits are its own, and set there"
_COSTS = "it is for kvdeck's reports; what engines have is in their resources"
_BOUNDS = "HyperPod bounds what something scales: --base FILE with an autoScalingSpec of this pool, and its triggers"
_WHY: Mapping[str, str] = {
    "strategy": "HyperPod has prefixaware, kvaware, session and roundrobin",
    "fallback_strategy": "HyperPod's kvaware goes by turns where it finds nothing, and takes no other word",
    "session_keys": "which header or field is HyperPod's session is not documented, and cannot be set",
    "dpd.routing_threshold": "it stands in pdSpec, which is there only where DPD is on",
    "dpd.min_uncached_tokens": "HyperPod decides by the prompt's length alone",
    "pools.prefill.replicas": "without DPD there is no prefill pool: set dpd.enabled, or prefill.replicas to 0",
    "pools.decode.replicas": f"{ONE_DECODER}: make several endpoints",
    **{f"pools.{pool}.bounds.{end}": _BOUNDS for pool in Pool for end in ("min", "max")},
    **{f"pools.{pool}.drain_seconds": "how long a pod has that leaves is the operator's" for pool in Pool},
    **{f"pools.{pool}.drained": "which pods get no requests is not in the document" for pool in Pool},
    **{f"pools.{pool}.{what}": _COSTS for pool in Pool for what in ("gpu_hour_price", "gpus_per_engine")},
    "pools.prefill.strategy": "an endpoint has one routingStrategy",
    "pools.decode.strategy": "an endpoint has one routingStrategy",
    "pools.prefill.protocol": "how its engines hand KV over is the operator's",
    "pools.decode.protocol": "how its engines hand KV over is the operator's",
    "limits.in_flight": "its proxies limit each engine, not all together: set limits.in_flight_per_engine",
    "limits.queue": _QUEUES,
    "limits.queue_per_engine": _QUEUES,
    "limits.queue_seconds": "its proxies let requests wait for as long as they do",
    "l2.store.maxmemory_bytes": _STORES,
    "l2.store.eviction_policy": _STORES,
    "shadow_share": _ROUTERS,
    "eject_stalled": _ROUTERS,
}


def reason(field: str, wanted: object, written: object) -> str:
    """Of `field`, a dotted path from `models.` on, where `written` is what comes back instead of what is wanted."""
    named = max((suffix for suffix in _WHY if field.endswith(f".{suffix}")), key=len, default=None)
    known = "an InferenceEndpointConfig has no such field" if named is None else _WHY[named]
    return f"{known} (wanted {_text(wanted)}, would be {_text(written)})"


def _text(value: object) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
