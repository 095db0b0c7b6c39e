"""Who else sets a workload's replicas, by what the API server says of it.

Autoscalers do by their scaleTargetRef. Tools that keep objects as they are in Git or in a chart do where the object says
that it is theirs, unless it also shows that they leave its replicas alone.

https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/
https://fluxcd.io/flux/components/kustomize/kustomizations/#controlling-the-apply-behavior-of-resources
https://helm.sh/docs/chart_best_practices/labels/
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from stack.control.machinery import PoolOwner
from stack.kube.api import MANAGER
from stack.kube.autoscalers import Autoscaler, Autoscalers
from stack.kube.workloads import Managed, ManagedMetadata, WorkloadObject

HANDED_OVER = "kvdeck/sets"  # annotated with `replicas`, a workload's replicas are kvdeck's, whatever its labels say
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_KEDA_LABEL = "scaledobject.keda.sh/name"


@dataclass(frozen=True, slots=True)
class _Tool:
    """`name` finds what of the tool has the object, None where nothing has; `managers` are its names in managedFields."""

    kind: str
    managers: frozenset[str]
    name: Callable[[ManagedMetadata], str | None]
    hand_over: str


def _labelled(label: str) -> Callable[[ManagedMetadata], str | None]:
    return lambda metadata: metadata.labels.get(label)


def _argo(metadata: ManagedMetadata) -> str | None:
    tracked = metadata.annotations.get("argocd.argoproj.io/tracking-id", "").partition(":")[0]
    return tracked or metadata.labels.get("argocd.argoproj.io/instance")


def _helm(metadata: ManagedMetadata) -> str | None:
    if metadata.labels.get("app.kubernetes.io/managed-by") != "Helm":
        return None
    return metadata.annotations.get("meta.helm.sh/release-name") or metadata.labels.get("app.kubernetes.io/instance") or "unknown"


_ANNOTATE = f"and annotate {{workload}} with {HANDED_OVER}: replicas"
# In this order: Flux and Argo CD install charts, whose labels stay.
_TOOLS = (
    _Tool(
        "Argo CD Application", frozenset({"argocd-controller", "argocd-application-controller"}), _argo,
        f"remove spec.replicas from {{workload}} in Git, or list it in the Application's ignoreDifferences, {_ANNOTATE}",
    ),
    _Tool(
        "Flux Kustomization", frozenset({"kustomize-controller"}), _labelled("kustomize.toolkit.fluxcd.io/name"),
        f"remove spec.replicas from {{workload}} in Git {_ANNOTATE}",
    ),
    _Tool(
        "Flux HelmRelease", frozenset({"helm-controller"}), _labelled("helm.toolkit.fluxcd.io/name"),
        f"remove replicas of {{workload}} from the chart {_ANNOTATE}",
    ),
    _Tool("Helm release", frozenset({"helm"}), _helm, f"remove replicas of {{workload}} from the chart {_ANNOTATE}"),
)  # fmt: skip


def owner(kind: str, found: WorkloadObject, autoscalers: Autoscalers) -> PoolOwner | None:
    """Who has to hand the replicas over first; None where they are kvdeck's to set."""
    workload = f"{kind} {found.metadata.name}"
    scaling = _autoscaler(kind, found.metadata.name, autoscalers)
    if scaling is not None or found.metadata.annotations.get(HANDED_OVER) == "replicas":
        return scaling
    for tool in _TOOLS:
        if (name := _owned_by(tool, found.metadata)) is not None:
            return PoolOwner(tool.kind, name, tool.hand_over.format(workload=workload))
    return None


def set_by(found: WorkloadObject) -> str | None:
    """Who set the replicas last; None when that was kvdeck, or nobody knows.

    Servers before 1.22 do not tell who did through /scale, and go on naming who did before.
    """
    setting = [entry for entry in found.metadata.managed_fields if entry.replicas]
    latest = max(setting, key=lambda entry: entry.time, default=Managed())
    return None if latest.manager in ("", MANAGER) else latest.manager


def _autoscaler(kind: str, name: str, autoscalers: Autoscalers) -> PoolOwner | None:
    for one in autoscalers.scaled:
        if one.scales(kind, name) and not one.paused:
            return _keda(one.metadata.name)
    for one in autoscalers.horizontal:
        if one.scales(kind, name):
            return _horizontal(one)
    return None


def _horizontal(one: Autoscaler) -> PoolOwner:
    if (scaled := one.metadata.labels.get(_KEDA_LABEL)) is not None:
        return _keda(scaled)
    name = one.metadata.name
    return PoolOwner(
        "HorizontalPodAutoscaler",
        name,
        "delete it, or change its spec.scaleTargetRef, or steer its spec.minReplicas and spec.maxReplicas in its place",
    )


def _keda(name: str) -> PoolOwner:
    return PoolOwner(
        "KEDA ScaledObject", name, 'annotate it with autoscaling.keda.sh/paused: "true", or change its spec.scaleTargetRef'
    )


def _owned_by(tool: _Tool, metadata: ManagedMetadata) -> str | None:
    entries = [entry for entry in metadata.managed_fields if entry.manager in tool.managers]
    sets = any(entry.replicas for entry in entries)
    name = tool.name(metadata)
    if name is None:
        return metadata.name if sets else None
    applied = any(entry.operation == "Apply" for entry in entries)
    if (applied and not sets) or _left_out(metadata.annotations):
        return None
    return name


def _left_out(annotations: Mapping[str, str]) -> bool:
    """Whether the object as it was applied, where that is told, leaves its replicas open."""
    if (applied := annotations.get(_LAST_APPLIED)) is None:
        return False
    try:
        document = msgspec.json.decode(applied)
    except msgspec.DecodeError:
        return False
    spec = document.get("spec") if isinstance(document, dict) else None
    return isinstance(spec, dict) and "replicas" not in spec
