"""An InferenceEndpointConfig read as desired state."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import msgspec

from stack.control.state import NO_LIMITS, REPLICAS_MAX, Bounds, Desired, Dpd, LoadLimits, ModelState, Pools, PoolState
from stack.control.valid import converted, validated
from stack.engines.vllm_command import SERVED_NAME_OPTION, option
from stack.kube.hyperpod.kept import kept
from stack.kube.hyperpod.notes import Note, NoteKind, ordered
from stack.kube.hyperpod.reading import Reading, read
from stack.kube.hyperpod.remarks import remarks
from stack.kube.hyperpod.resource import AutoScaling, RoleScaling, Spec
from stack.kube.hyperpod.worker import RequestLimits
from stack.strategies.base import canonical

# What requests that only a load balancer spreads come nearest to.
UNROUTED = "round_robin"


@dataclass(frozen=True, slots=True)
class Imported:
    """What is desired, valid as a whole, and everything there is to say about how it came about."""

    model: str
    desired: Desired
    notes: tuple[Note, ...]


def imported(document: object, strategies: Collection[str], model: str | None = None) -> Imported:
    """`document` as what kvdeck's router should do in the operator's place. `strategies` are those there are.

    The model is `model`, or what engines are told to serve it as, or `modelName`. Raises ResourceError, and RefusedError where it
    makes no sense to kvdeck.
    """
    reading = read(document)
    spec = reading.resource.known_spec
    told = model or served_name(spec)
    name = told or spec.model_name
    state = converted(name, msgspec.to_builtins(state_of(spec)))  # whose bounds are not HyperPod's
    desired = validated(Desired(models={name: state}), strategies)
    return Imported(name, desired, ordered([*_notes(reading), *remarks(reading, named=told is not None)]))


def served_name(spec: Spec) -> str | None:
    """What engines are told to call the model, the first where they have several names for it."""
    return option(spec.worker.args or (), SERVED_NAME_OPTION)


def state_of(spec: Spec) -> ModelState:
    """The state of the one model it serves."""
    routing, pd = spec.intelligent_routing_spec, spec.pd_spec
    strategy = canonical(routing.routing_strategy) if routing is not None and routing.enabled else UNROUTED
    limits = _limits(spec.worker.request_limits, pd.decoding_spec.replicas if pd else spec.replicas)
    if pd is None:
        pools = Pools(prefill=PoolState(replicas=0), decode=_pool(spec.replicas, spec.auto_scaling_spec))
        return ModelState(strategy=strategy, dpd=Dpd(enabled=False), pools=pools, limits=limits)
    scaling = pd.auto_scaling_spec or RoleScaling()
    pools = Pools(
        prefill=_pool(pd.prefill_spec.replicas, scaling.prefill_auto_scaling),
        decode=_pool(pd.decoding_spec.replicas, scaling.decoding_auto_scaling),
    )
    return ModelState(strategy=strategy, dpd=Dpd(routing_threshold=pd.routing_threshold), pools=pools, limits=limits)


def _pool(replicas: int, scaling: AutoScaling | None) -> PoolState:
    """Who scales the pool brings its replicas within his bounds at once."""
    if scaling is None:
        return PoolState(replicas=replicas)
    bounds = Bounds(min=scaling.min_replica_count, max=min(scaling.max_replica_count, REPLICAS_MAX))
    return PoolState(replicas=max(bounds.min, min(replicas, bounds.max)), bounds=bounds)


def _limits(told: RequestLimits | None, decoders: int) -> LoadLimits:
    """The proxies' limits are each engine's own. kvdeck's queue is one, and as long as all of theirs together."""
    if told is None or told.max_concurrent_requests is None:
        return NO_LIMITS
    each = told.max_queue_size or 0
    return LoadLimits(in_flight_per_engine=told.max_concurrent_requests, queue=each * decoders, queue_per_engine=each or None)


def unknown(path: str) -> Note:
    """Of a field that an InferenceEndpointConfig does not have."""
    return Note(kind=NoteKind.UNKNOWN, field=path, text="operator 3.2 knows no such field: an API server with its CRD drops it")


def _notes(reading: Reading) -> Iterator[Note]:
    for path in reading.unknown:
        yield unknown(path)
    for path, why in kept(reading.given):
        yield Note(kind=NoteKind.KEPT, field=path, text=why)
