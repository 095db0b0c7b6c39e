"""What is worth saying of what an InferenceEndpointConfig says: defaults, what is not heeded, what means something else here."""

from __future__ import annotations

from collections.abc import Iterator

from stack.control.state import REPLICAS_MAX
from stack.kube.hyperpod.documented import DECODERS_MAX, ONE_DECODER, OWN_RESOURCES, REDIS_ISSUE
from stack.kube.hyperpod.notes import Note, NoteKind
from stack.kube.hyperpod.reading import Reading
from stack.kube.hyperpod.resource import OLD_API_VERSION, SINCE_V1, AutoScaling, KvCache, RoleScaling

REDIS_IGNORED = (
    "operator 3.2.0 is reported to ignore redis, and to inject its own daemon's address "
    f"({REDIS_ISSUE}): `kvdeck iec diff` looks at what the pods have"
)
# Each node's own.
DAEMON = "sagemaker-hyperpod://*:9200"
_REFUSED_AS_429 = 429

Said = Iterator[tuple[NoteKind, str, str]]


def remarks(reading: Reading, *, named: bool) -> Iterator[Note]:
    """All there are; `named` says that the model's name is known rather than taken to be SageMaker's."""
    parts = (
        _model(named),
        _version(reading),
        _defaults(reading),
        _routing(reading),
        _pools(reading),
        _limits(reading),
        _tiers(reading),
    )
    return (Note(kind=kind, field=field, text=text) for part in parts for kind, field, text in part)


def _model(named: bool) -> Said:
    if not named:
        yield (
            NoteKind.DIFFERS,
            "spec.modelName",
            (
                "SageMaker's name is taken for the one that clients use: vLLM without --served-model-name calls the model by the "
                "path it loads; --model NAME says otherwise"
            ),
        )


def _version(reading: Reading) -> Said:
    if reading.resource.api_version == OLD_API_VERSION:
        for name in SINCE_V1:
            if reading.says(f"spec.{name}"):
                yield NoteKind.IGNORED, f"spec.{name}", f"{OLD_API_VERSION} has no such field: write it as v1"


def _defaults(reading: Reading) -> Said:
    """HyperPod's defaults, as the CRD has them, of what is taken over."""
    spec = reading.resource.known_spec
    found: list[tuple[str, object]] = [("spec.replicas", spec.replicas)] if spec.pd_spec is None else []
    if (routing := spec.intelligent_routing_spec) is not None:
        found += [("spec.intelligentRoutingSpec.enabled", routing.enabled)]
        found += [("spec.intelligentRoutingSpec.routingStrategy", routing.routing_strategy)] if routing.enabled else []
    if (pd := spec.pd_spec) is not None:
        found += [
            ("spec.pdSpec.routingThreshold", pd.routing_threshold),
            ("spec.pdSpec.prefillSpec.replicas", pd.prefill_spec.replicas),
            ("spec.pdSpec.decodingSpec.replicas", pd.decoding_spec.replicas),
        ]
    cache = spec.kv_cache_spec
    found += [("spec.kvCacheSpec.enableL1Cache", True if cache is None else cache.enable_l1_cache)]
    found += [("spec.kvCacheSpec.enableL2Cache", False if cache is None else cache.enable_l2_cache)]
    for path, value in found:
        if not reading.says(path):
            yield NoteKind.DEFAULTED, path, f"not said: HyperPod takes {str(value).lower()}"


def _routing(reading: Reading) -> Said:
    routing, path = reading.resource.known_spec.intelligent_routing_spec, "spec.intelligentRoutingSpec"
    if routing is None or not routing.enabled:
        yield (
            NoteKind.DIFFERS,
            path,
            (
                "not enabled: HyperPod leaves requests to the load balancer (least outstanding requests by default), for which "
                "round_robin stands here"
            ),
        )
        if routing is not None and reading.says(f"{path}.routingStrategy"):
            yield NoteKind.IGNORED, f"{path}.routingStrategy", "the router it is for is not enabled"
    elif routing.routing_strategy == "kvaware":
        yield (
            NoteKind.DIFFERS,
            f"{path}.routingStrategy",
            (
                "HyperPod's kvaware sees /completions only and goes by turns where it finds nothing, without a word; kvdeck's "
                "kv_aware sees chats as well, and falls back on fallback_strategy, which is told"
            ),
        )
    elif routing.routing_strategy == "session":
        yield (
            NoteKind.DIFFERS,
            f"{path}.routingStrategy",
            ("which header or field is HyperPod's session is not documented; kvdeck's are session_keys"),
        )


def _pools(reading: Reading) -> Said:
    spec = reading.resource.known_spec
    if spec.pd_spec is None:
        yield from _bounds("spec.replicas", spec.replicas, "spec.autoScalingSpec", spec.auto_scaling_spec)
        return
    if reading.says("spec.replicas"):
        yield NoteKind.KEPT, "spec.replicas", "the pools have replicas of their own; what it does beside pdSpec is not documented"
    if reading.says("spec.autoScalingSpec"):
        yield (
            NoteKind.KEPT,
            "spec.autoScalingSpec",
            "the pools have bounds of their own; what it does beside pdSpec is not documented",
        )
    if spec.pd_spec.decoding_spec.replicas > DECODERS_MAX:
        yield NoteKind.IGNORED, "spec.pdSpec.decodingSpec.replicas", ONE_DECODER
    if reading.says("spec.worker.resources"):
        yield NoteKind.IGNORED, "spec.worker.resources", OWN_RESOURCES
    scaling = spec.pd_spec.auto_scaling_spec or RoleScaling()
    for role, of_role, own in (
        ("prefillSpec", spec.pd_spec.prefill_spec, scaling.prefill_auto_scaling),
        ("decodingSpec", spec.pd_spec.decoding_spec, scaling.decoding_auto_scaling),
    ):
        path = f"spec.pdSpec.autoScalingSpec.{role.removesuffix('Spec')}AutoScaling"
        yield from _bounds(f"spec.pdSpec.{role}.replicas", of_role.replicas, path, own)
    yield (
        NoteKind.DIFFERS,
        "spec.pdSpec",
        "the operator's engines hand KV over by LMCache's own protocol, kvdeck's router by NIXL: in front of those very pods "
        "set pools.prefill.protocol and pools.decode.protocol to lmcache, and requests go direct",
    )


def _bounds(path: str, replicas: int, scaling_path: str, scaling: AutoScaling | None) -> Said:
    """What of a pool is changed by who scales it."""
    if scaling is None:
        return
    least, most = scaling.min_replica_count, scaling.max_replica_count
    yield NoteKind.DIFFERS, scaling_path, "whoever scales by it owns the pool's replicas: kvdeck keeps within the same bounds"
    if not least <= replicas <= most:
        yield NoteKind.ADJUSTED, path, f"{replicas} is outside of what it is scaled to, {least} to {most}: taken as the nearest"
    if most > REPLICAS_MAX:
        yield NoteKind.ADJUSTED, f"{scaling_path}.maxReplicaCount", f"{most} taken as {REPLICAS_MAX}, kvdeck's most for a pool"


def _limits(reading: Reading) -> Said:
    told, path = reading.resource.known_spec.worker.request_limits, "spec.worker.requestLimits"
    if told is None:
        return
    if told.max_concurrent_requests is None:
        yield NoteKind.IGNORED, path, "nothing waits and nothing is refused without maxConcurrentRequests"
        return
    yield (
        NoteKind.DIFFERS,
        f"{path}.maxConcurrentRequests",
        ("HyperPod's proxy counts for each pod; kvdeck's routers count for each engine, and each router process by itself"),
    )
    if told.max_queue_size:
        yield NoteKind.DIFFERS, f"{path}.maxQueueSize", "in kvdeck nothing waits longer than limits.queue_seconds"
    if told.overflow_status_code != _REFUSED_AS_429:
        yield NoteKind.IGNORED, f"{path}.overflowStatusCode", f"kvdeck refuses with {_REFUSED_AS_429}"


def _tiers(reading: Reading) -> Said:
    """Tiers are told to the parts of kvdeck that look at them, and to LMCache at its start; its own file hides what they are."""
    cache, path = reading.resource.known_spec.kv_cache_spec or KvCache(), "spec.kvCacheSpec"
    if cache.cache_config_file is not None:
        if reading.given & _OVERRIDDEN:
            yield NoteKind.IGNORED, path, "cacheConfigFile overrides the other fields"
        return
    l1 = "on" if cache.enable_l1_cache else "off"
    yield (
        NoteKind.KEPT,
        f"{path}.enableL1Cache",
        f"L1 is {l1}: whether there is one, and how large, is told to LMCache at its start",
    )
    told = cache.l2_cache_spec
    backend = "" if told is None else (told.l2_cache_backend or "").lower()
    if told is not None and not cache.enable_l2_cache:
        yield NoteKind.IGNORED, f"{path}.l2CacheSpec", "enableL2Cache is off"
    elif cache.enable_l2_cache and not backend:
        yield NoteKind.IGNORED, f"{path}.enableL2Cache", "no l2CacheBackend: the server takes that, and it names no L2"
    elif cache.enable_l2_cache and "redis" in backend:
        url = "redis://HOST:6379" if told is None else told.l2_cache_local_url or "redis://HOST:6379"
        yield NoteKind.KEPT, f"{path}.l2CacheSpec", f"the store is told to `kvdeck control --cache-store {url}`"
        yield NoteKind.IGNORED, f"{path}.l2CacheSpec.l2CacheBackend", REDIS_IGNORED
    elif cache.enable_l2_cache:
        yield NoteKind.KEPT, f"{path}.l2CacheSpec", f"what L2 is meant to be is told to the exporter: targets.expectedL2: {DAEMON}"


_OVERRIDDEN = frozenset({"spec.kvCacheSpec.enableL1Cache", "spec.kvCacheSpec.enableL2Cache", "spec.kvCacheSpec.l2CacheSpec"})
