"""Desired state written as an InferenceEndpointConfig. What it cannot say is refused, or told where loss is asked for."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from stack.control.diff import diff
from stack.control.state import NO_TIERS, Desired, LoadLimits, ModelState, Pools, PoolState
from stack.control.tiers import Tiers
from stack.engines.vllm_command import SERVED_NAME_OPTION
from stack.kube.hyperpod.documented import DECODERS_MAX, NEVER_ADDED, NEVER_LEAVES_DPD
from stack.kube.hyperpod.imported import imported, served_name, state_of, unknown
from stack.kube.hyperpod.inexpressible import reason
from stack.kube.hyperpod.notes import Note, NoteKind, ordered
from stack.kube.hyperpod.reading import pruned, read
from stack.kube.hyperpod.resource import API_VERSION, Spec
from stack.kube.hyperpod.skeleton import assumed, skeleton
from stack.strategies.base import ALIASES

_HYPERPOD_NAMES = {own: theirs for theirs, own in ALIASES.items()} | {"session": "session"}
_SERVERS_OWN = ("status",)
_METADATA = ("name", "namespace", "labels", "annotations")
_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


class NotExpressibleError(ValueError):
    """An InferenceEndpointConfig cannot say all of it; `notes` name each field and why."""

    def __init__(self, notes: tuple[Note, ...]) -> None:
        super().__init__("; ".join(f"{note.field}: {note.text}" for note in notes))
        self.notes = notes


@dataclass(frozen=True, slots=True)
class Exported:
    """A document that the CRD takes, and what is to be said of it."""

    document: dict[str, Any]
    notes: tuple[Note, ...]


def exported(
    model: str,
    state: ModelState,
    strategies: Collection[str],
    base: Mapping[str, Any] | None = None,
    *,
    tiers: Tiers = NO_TIERS,
    lenient: bool = False,
) -> Exported:
    """`state` of `model` as an InferenceEndpointConfig, with `tiers` that all models have.

    What those do not say is as in `base`, untouched, or a placeholder; fields of `base` that there are not are refused, or with
    `lenient` left out and noted.
    What is written is read back: where that is not `state`, it is refused, or with `lenient` noted. Raises NotExpressibleError,
    and ResourceError where `base` is none.
    """
    document = skeleton(model) if base is None else _cleaned(base)
    notes = list(assumed(document)) if base is None else []
    forbidden = [unknown(path) for path in ([] if base is None else read(document).unknown)]
    document = pruned(document) if forbidden else document
    before = None if base is None else read(document).resource.known_spec
    document["apiVersion"] = API_VERSION
    spec = document["spec"]
    notes += _write_name(spec, before, model)
    notes += _write_routing(spec, before, state)
    notes += _write_pools(spec, before, state)
    _write_limits(spec, before, state)
    back = imported(document, strategies, model)
    lost = [
        Note(kind=NoteKind.ADJUSTED, field=change.field, text=reason(change.field, change.before, change.after))
        for change in diff(Desired(models={model: _plain(state)}, tiers=tiers), back.desired)
    ]
    if (lost or forbidden) and not lenient:
        raise NotExpressibleError(ordered([*lost, *forbidden]))
    return Exported(document, ordered([*notes, *lost, *forbidden]))


def _plain(state: ModelState) -> ModelState:
    """The same without what is said twice: a pool's strategy that is the model's, NIXL, which is the default."""

    def pool(own: PoolState) -> PoolState:
        return replace(
            own,
            strategy=None if own.strategy == state.strategy else own.strategy,
            protocol=None if own.protocol == "nixl" else own.protocol,
        )

    return replace(state, pools=Pools(prefill=pool(state.pools.prefill), decode=pool(state.pools.decode)))


def _cleaned(base: Mapping[str, Any]) -> dict[str, Any]:
    """`base` as somebody would write it: without what the server adds."""
    document = {name: copy.deepcopy(value) for name, value in base.items() if name not in _SERVERS_OWN}
    metadata = {name: value for name, value in (document.get("metadata") or {}).items() if name in _METADATA}
    if isinstance(notes := metadata.get("annotations"), Mapping):
        metadata["annotations"] = {name: value for name, value in notes.items() if name != _APPLIED}
    return {**document, "metadata": metadata}


def _write_name(spec: dict[str, Any], before: Spec | None, model: str) -> Iterator[Note]:
    if before is None or model in (served_name(before), before.model_name if served_name(before) is None else None):
        return
    spec["worker"]["args"] = [*(spec["worker"].get("args") or []), SERVED_NAME_OPTION, model]
    yield Note(kind=NoteKind.ADJUSTED, field="spec.worker.args", text=f"{SERVED_NAME_OPTION} {model} added, which restarts engines")


def _write_routing(spec: dict[str, Any], before: Spec | None, state: ModelState) -> Iterator[Note]:
    if before is not None and state_of(before).strategy == state.strategy:
        return
    if before is not None and not (before.intelligent_routing_spec and before.intelligent_routing_spec.enabled):
        yield Note(
            kind=NoteKind.IMMUTABLE,
            field="spec.intelligentRoutingSpec",
            text=NEVER_ADDED,
        )
    given = spec.get("intelligentRoutingSpec") or {}
    spec["intelligentRoutingSpec"] = given | {
        "enabled": True,
        "routingStrategy": _HYPERPOD_NAMES.get(state.strategy, "prefixaware"),
    }


def _write_pools(spec: dict[str, Any], before: Spec | None, state: ModelState) -> Iterator[Note]:
    was = None if before is None else state_of(before)
    if was is not None and (was.dpd, was.pools) == (state.dpd, state.pools):
        return
    if not state.dpd.enabled:
        if spec.pop("pdSpec", None) is not None:
            yield Note(kind=NoteKind.IMMUTABLE, field="spec.pdSpec", text=NEVER_LEAVES_DPD)
        spec["replicas"] = state.pools.decode.replicas
        _write_bounds(spec, "autoScalingSpec", state.pools.decode)
        return
    given = spec.get("pdSpec") or {}
    decoders = state.pools.decode.replicas
    if was is None or was.pools.decode.replicas != decoders:
        decoders = DECODERS_MAX
    resources = {} if given else {"resources": spec["worker"]["resources"]}
    scaling = given.get("autoScalingSpec") or {}
    _write_bounds(scaling, "prefillAutoScaling", state.pools.prefill)
    _write_bounds(scaling, "decodingAutoScaling", state.pools.decode)
    spec["pdSpec"] = given | {
        "routingThreshold": state.dpd.routing_threshold,
        "prefillSpec": (given.get("prefillSpec") or copy.deepcopy(resources)) | {"replicas": state.pools.prefill.replicas},
        "decodingSpec": (given.get("decodingSpec") or copy.deepcopy(resources)) | {"replicas": decoders},
    }


def _write_bounds(holder: dict[str, Any], name: str, pool: PoolState) -> None:
    """Only where something scales the pool: bounds alone are nothing that KEDA takes."""
    if (scaling := holder.get(name)) is not None:
        holder[name] = scaling | {"minReplicaCount": pool.bounds.min, "maxReplicaCount": pool.bounds.max}


def _write_limits(spec: dict[str, Any], before: Spec | None, state: ModelState) -> None:
    if before is not None and state_of(before).limits == state.limits:
        return
    worker, limits = spec["worker"], state.limits
    given = {name: value for name, value in (worker.pop("requestLimits", None) or {}).items() if name == "overflowStatusCode"}
    if limits.in_flight_per_engine is not None:
        queue = {"maxQueueSize": each} if (each := _queue_of_each(limits, state.pools.decode.replicas)) else {}
        worker["requestLimits"] = {"maxConcurrentRequests": limits.in_flight_per_engine, **queue, **given}


def _queue_of_each(limits: LoadLimits, decoders: int) -> int:
    each = -(-limits.queue // max(1, decoders))
    return each if limits.queue_per_engine is None else min(each, limits.queue_per_engine)
