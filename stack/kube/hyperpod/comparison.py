"""An InferenceEndpointConfig against what can be seen of it: each field equal, different, or unknown, with the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stack.kube.hyperpod.immutable import immutable
from stack.kube.hyperpod.pods import ROUTERS_NAMESPACE, Seen, SeenRouters
from stack.kube.hyperpod.resource import AutoScaling, Resource, RoleScaling
from stack.kube.hyperpod.rows import Finding, Row, Standing, row, unknown
from stack.kube.hyperpod.tier_rows import tier_rows
from stack.kube.hyperpod.version_rows import version_rows
from stack.model.tier import Pool
from stack.strategies.base import canonical

_ROUTERS_TELL = "HyperPod tells that in no status, metric or API, and its router's log is not read"


@dataclass(frozen=True, slots=True)
class Steered:
    """What kvdeck's own live routers apply for a model: all of them the same generation, or `fault` says why that is not known."""

    strategy: str = ""
    threshold: int | None = None
    evidence: str = ""
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What could be found out. None is what could not, and the fault beside it says why; `pods_are` says how pods were chosen."""

    running: Resource | None = None
    running_fault: str = ""
    pods: tuple[Seen, ...] | None = None
    pods_fault: str = ""
    pods_are: str = "pods"
    routers: SeenRouters | None = None
    routers_fault: str = ""
    steered: Steered = Steered(fault="control was not asked")  # frozen
    versions: Mapping[str, str] = field(default_factory=dict)


def compare(wanted: Resource, facts: Facts) -> tuple[Row, ...]:
    """Every field that kvdeck reads, in the order of the document."""
    rows = [*_taken_up(facts), *_immutable(wanted, facts), *_routing(wanted, facts), *_replicas(wanted, facts)]
    if facts.pods is None:
        return (
            *rows,
            unknown("spec.kvCacheSpec", "as said", facts.pods_fault),
            unknown("spec.worker.image", wanted.spec.worker.image, facts.pods_fault),
        )
    return (*rows, *tier_rows(wanted, facts.pods), *version_rows(wanted, facts.pods, facts.versions))


def _taken_up(facts: Facts) -> Iterator[Row]:
    """Whether the operator has seen the newest spec, and is done with it."""
    if facts.running is None:
        yield unknown("status.state", "DeploymentComplete", facts.running_fault)
        return
    status: Mapping[str, Any] = facts.running.status or {}
    generation, observed = facts.running.metadata.get("generation"), status.get("observedGeneration")
    if observed is None or generation is None:
        yield unknown("status.observedGeneration", generation, "the operator has written none")
    else:
        yield row("status.observedGeneration", generation, observed, "metadata.generation against the status")
    if (state := status.get("state")) is None:
        yield unknown("status.state", "DeploymentComplete", "the operator has written none")
    else:
        yield row("status.state", "DeploymentComplete", state, "by the operator's status")


def _immutable(wanted: Resource, facts: Facts) -> Iterator[Row]:
    if facts.running is not None:
        for path, why in immutable(facts.running.known_spec, wanted.known_spec):
            standing, finding = Standing.DIFFERS, Finding.IMMUTABLE
            yield Row(
                field=path,
                standing=standing,
                wanted="as in the document",
                seen="otherwise, for good",
                evidence=why,
                finding=finding,
            )


def _routing(wanted: Resource, facts: Facts) -> Iterator[Row]:
    routing, pd, steered = wanted.known_spec.intelligent_routing_spec, wanted.known_spec.pd_spec, facts.steered
    if routing is not None and routing.enabled:
        yield _enabled(facts)
        path, strategy = "spec.intelligentRoutingSpec.routingStrategy", routing.routing_strategy
        if facts.routers is not None and facts.routers.strategy is not None:
            yield row(path, strategy, facts.routers.strategy, f"the arguments of {', '.join(facts.routers.names)}")
        elif steered.fault is None:
            yield row(path, canonical(strategy), steered.strategy, steered.evidence)
        else:
            yield unknown(path, strategy, f"{_ROUTERS_TELL}; {steered.fault}")
    if pd is not None:
        path = "spec.pdSpec.routingThreshold"
        if steered.fault is None:
            yield row(path, pd.routing_threshold, steered.threshold, steered.evidence)
        else:
            yield unknown(path, pd.routing_threshold, f"{_ROUTERS_TELL}; {steered.fault}")
    if (limits := wanted.spec.worker.request_limits) is not None:
        told = f"{limits.max_concurrent_requests or 'any number'} at once, {limits.max_queue_size or 'none'} waiting"
        yield unknown("spec.worker.requestLimits", told, "what the proxy beside each engine is told is not in the pods' specs")


def _enabled(facts: Facts) -> Row:
    path = "spec.intelligentRoutingSpec.enabled"
    if facts.routers is None:
        return unknown(path, True, facts.routers_fault)
    names = ", ".join(facts.routers.names)
    return row(path, True, bool(names), f"router pods in {ROUTERS_NAMESPACE}: {names or 'none'}")


def _replicas(wanted: Resource, facts: Facts) -> Iterator[Row]:
    spec = wanted.known_spec
    pools: list[tuple[str, Pool, int, AutoScaling | None]] = [("spec.replicas", Pool.DECODE, spec.replicas, spec.auto_scaling_spec)]
    if spec.pd_spec is not None:
        scaling = spec.pd_spec.auto_scaling_spec or RoleScaling()
        pools = [
            ("spec.pdSpec.prefillSpec.replicas", Pool.PREFILL, spec.pd_spec.prefill_spec.replicas, scaling.prefill_auto_scaling),
            ("spec.pdSpec.decodingSpec.replicas", Pool.DECODE, spec.pd_spec.decoding_spec.replicas, scaling.decoding_auto_scaling),
        ]
    for path, pool, replicas, scaled in pools:
        if facts.pods is None:
            yield unknown(path, replicas, facts.pods_fault)
        else:
            yield _counted(path, replicas, scaled, [pod for pod in facts.pods if pod.pool is pool], facts.pods_are)


def _counted(path: str, replicas: int, scaled: AutoScaling | None, pods: Sequence[Seen], which: str) -> Row:
    ready, waiting = [pod.name for pod in pods if pod.ready], [pod.name for pod in pods if not pod.ready]
    least, most = (replicas, replicas) if scaled is None else (scaled.min_replica_count, scaled.max_replica_count)
    return Row(
        field=path,
        standing=Standing.EQUAL if least <= len(ready) <= most and not waiting else Standing.DIFFERS,
        wanted=f"{replicas} ready" if scaled is None else f"{least} to {most} ready, as scaled",
        seen=f"{len(ready)} ready" + (f", {len(waiting)} not" if waiting else ""),
        evidence=f"{which}: {', '.join((*ready, *waiting)) or 'none'}" + (f"; not ready: {', '.join(waiting)}" if waiting else ""),
    )
