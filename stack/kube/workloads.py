"""Deployments and StatefulSets, as far as scaling them needs it.

https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any
from urllib.parse import quote

import msgspec

from stack.kube.objects import Condition, Metadata
from stack.kube.operator import LabelSelector


class WorkloadKind(StrEnum):
    """What can run a pool."""

    DEPLOYMENT = "Deployment"
    STATEFUL_SET = "StatefulSet"

    @property
    def plural(self) -> str:
        """Its name in paths."""
        return f"{self.lower()}s"


class Managed(msgspec.Struct, frozen=True, rename="camel"):
    """Who set which fields: `operation` is Apply or Update, `fields` as FieldsV1 has them."""

    manager: str = ""
    operation: str = ""
    time: str = ""
    fields: Mapping[str, Any] = msgspec.field(default_factory=dict, name="fieldsV1")  # a tree of unknown depth

    @property
    def replicas(self) -> bool:
        """Whether spec.replicas is among them."""
        spec = self.fields.get("f:spec")
        return isinstance(spec, Mapping) and "f:replicas" in spec


class ManagedMetadata(Metadata, frozen=True, rename="camel"):
    """Metadata with who manages what."""

    managed_fields: Sequence[Managed] = ()


class Ordinals(msgspec.Struct, frozen=True):
    """Where a StatefulSet begins to count."""

    start: int = 0


class WorkloadSpec(msgspec.Struct, frozen=True):
    """How many pods, and which are its own."""

    replicas: int = 1
    selector: LabelSelector = LabelSelector()
    ordinals: Ordinals = Ordinals()


class WorkloadStatus(msgspec.Struct, frozen=True):
    """What its controller says of it."""

    conditions: Sequence[Condition] = ()


class WorkloadObject(msgspec.Struct, frozen=True):
    """A Deployment or a StatefulSet."""

    metadata: ManagedMetadata
    spec: WorkloadSpec
    status: WorkloadStatus = WorkloadStatus()

    @property
    def failure(self) -> str:
        """Why its pods cannot be made, such as a quota that is used up; empty where nothing is said."""
        failing = (one for one in self.status.conditions if one.type == "ReplicaFailure" and one.status == "True")
        return next((one.message or one.reason for one in failing), "")


class ScaleSpec(msgspec.Struct, frozen=True):
    """How many are wanted; none is left out."""

    replicas: int = 0


class ScaleMetadata(msgspec.Struct, frozen=True, rename="camel"):
    """What the server needs to know which Scale it is, as of which version."""

    name: str
    namespace: str
    resource_version: str


class Scale(msgspec.Struct, frozen=True, rename="camel"):
    """The subresource /scale of a workload (autoscaling/v1)."""

    metadata: ScaleMetadata
    spec: ScaleSpec = ScaleSpec()
    kind: str = "Scale"
    api_version: str = "autoscaling/v1"


def workload_path(kind: WorkloadKind, namespace: str, name: str) -> str:
    """Where the API server has it."""
    return f"/apis/apps/v1/namespaces/{quote(namespace, safe='')}/{kind.plural}/{quote(name, safe='')}"


def selector_text(selector: LabelSelector) -> str:
    """A selector as the parameter labelSelector takes it."""
    said = {"In": "{} in ({})", "NotIn": "{} notin ({})", "Exists": "{}", "DoesNotExist": "!{}"}
    terms = [f"{key}={value}" for key, value in sorted(selector.match_labels.items())]
    terms += [said[one.operator].format(one.key, ",".join(one.values)) for one in selector.match_expressions]
    return ",".join(terms)
