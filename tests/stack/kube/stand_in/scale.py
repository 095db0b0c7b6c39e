"""The subresource /scale: a Scale of autoscaling/v1 in front of any object that has replicas."""

from __future__ import annotations

import copy

from tests.stack.kube.stand_in.answers import Cause, Document, invalid


def scale_of(document: Document) -> Document:
    """An object as its Scale."""
    metadata = {
        key: document["metadata"][key]
        for key in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
        if key in document["metadata"]
    }
    status: Document = {"replicas": document.get("status", {}).get("replicas", 0)}
    labels = document["spec"].get("selector", {}).get("matchLabels", {})
    selector = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    if selector := selector or document.get("status", {}).get("selector", ""):
        status["selector"] = selector
    spec = {"replicas": replicas} if (replicas := document["spec"].get("replicas", 0)) else {}  # omitempty
    return {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": spec, "status": status}


def scaled(document: Document, scale: Document) -> Document:
    """The object that a changed Scale asks for. Raises RefusedError."""
    replicas = scale.get("spec", {}).get("replicas", 0)
    if replicas < 0:
        fault = Cause("spec.replicas", "FieldValueInvalid", f"Invalid value: {replicas}: must be greater than or equal to 0")
        raise invalid("autoscaling", "Scale", document["metadata"]["name"], [fault])
    after = copy.deepcopy(document)
    after["spec"]["replicas"] = replicas
    after["metadata"]["resourceVersion"] = scale["metadata"].get("resourceVersion", "")
    return after
