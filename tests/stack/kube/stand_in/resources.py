"""The kinds of objects that the stand-in keeps, and what it fills in and refuses of each."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.stack.kube.stand_in import schema
from tests.stack.kube.stand_in.answers import Cause, Document

_HEAD = ("apiVersion", "kind", "metadata")


@dataclass(frozen=True, slots=True)
class Resource:
    """`prepare` fills an object in, `judge` says what is wrong with it."""

    group: str
    version: str
    plural: str
    kind: str
    prepare: Callable[[Document], Document] = copy.deepcopy
    judge: Callable[[Document], Sequence[Cause]] = lambda _: ()
    born: Document = field(default_factory=dict)  # the status of a new one
    generations: bool = True
    scale: bool = False
    status: bool = True
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def prefix(self) -> str:
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"


def built_in() -> list[Resource]:
    """What every cluster has, as far as tests need it."""
    return [
        Resource("", "v1", "pods", "Pod", _pod, born={"phase": "Pending", "qosClass": "BestEffort"}, generations=False),
        Resource("", "v1", "namespaces", "Namespace", namespaced=False, generations=False),
        Resource("apps", "v1", "deployments", "Deployment", _deployment, _workload_faults, scale=True),
        Resource("apps", "v1", "statefulsets", "StatefulSet", _stateful_set, _workload_faults, {"replicas": 0}, scale=True),
        Resource("autoscaling", "v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler"),
        Resource("coordination.k8s.io", "v1", "leases", "Lease", generations=False, status=False),
        Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", namespaced=False),
    ]


def custom(definition: Document) -> list[Resource]:
    """The resources that a CustomResourceDefinition defines, one a served version."""
    spec = definition["spec"]
    return [
        _custom(spec["group"], spec["names"], version, spec.get("scope") != "Cluster")
        for version in spec["versions"]
        if version["served"]
    ]


def _custom(group: str, names: Document, version: Document, namespaced: bool) -> Resource:
    shape = version["schema"]["openAPIV3Schema"]
    inner = {key: value for key, value in shape.get("properties", {}).items() if key not in _HEAD}
    checked = {"type": "object", "properties": inner, "required": shape.get("required", []), **_open(shape)}

    def prepare(document: Document) -> Document:
        head = {key: value for key, value in document.items() if key in _HEAD}
        return {**head, **schema.filled(schema.pruned(_body(document), checked), checked)}

    def judge(document: Document) -> list[Cause]:
        return list(schema.faults(_body(document), checked))

    subresources = version.get("subresources", {})
    return Resource(
        group, version["name"], names["plural"], names["kind"], prepare, judge,
        scale="scale" in subresources, status="status" in subresources, namespaced=namespaced,
    )  # fmt: skip


def _body(document: Document) -> Document:
    return {key: value for key, value in document.items() if key not in _HEAD}


def _open(shape: Document) -> Document:
    return {key: shape[key] for key in ("x-kubernetes-preserve-unknown-fields",) if key in shape}


def _pod(document: Document) -> Document:
    pod = copy.deepcopy(document)
    pod["spec"] = {
        **_pod_spec(pod["spec"]),
        "tolerations": [
            {"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
            for key in ("not-ready", "unreachable")
        ],
        "priority": 0,
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
    }
    if "podIP" in pod.get("status", {}):
        pod["status"]["podIPs"] = [{"ip": pod["status"]["podIP"]}]
    return pod


def _pod_spec(spec: Document) -> Document:
    container = {
        "resources": {}, "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File", "imagePullPolicy": "Always",
    }  # fmt: skip
    return {
        "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
        "securityContext": {}, "schedulerName": "default-scheduler",
        **spec, "containers": [{**container, **each} for each in spec["containers"]],
    }  # fmt: skip


def _deployment(document: Document) -> Document:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}}
    return _workload(document, {"strategy": rolling, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600})


def _stateful_set(document: Document) -> Document:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}
    return _workload(document, {"podManagementPolicy": "OrderedReady", "updateStrategy": rolling, "revisionHistoryLimit": 10})


def _workload(document: Document, defaults: Document) -> Document:
    workload = copy.deepcopy(document)
    template = workload["spec"]["template"]
    workload["spec"] = {"replicas": 1, **defaults, **workload["spec"]}
    workload["spec"]["template"] = {
        "metadata": {"creationTimestamp": None, **template.get("metadata", {})},
        "spec": _pod_spec(template["spec"]),
    }
    return workload


def _workload_faults(document: Document) -> list[Cause]:
    replicas = document["spec"]["replicas"]
    if replicas >= 0:
        return []
    return [Cause("spec.replicas", "FieldValueInvalid", f"Invalid value: {replicas}: must be greater than or equal to 0")]
