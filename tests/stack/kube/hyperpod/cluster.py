"""A cluster in which the operator runs an endpoint, as the stand-in API server tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stack.kube.access import Access
from tests.stack.kube.stand_in.api_server import StandIn
from tests.stack.kube.stand_in.rights import User
from tests.stack.kube.test_stand_in import ENDPOINTS, ask

ACCESS = Access("http://kube", "default", False, lambda: "Bearer admin")
ROLE = "inference.sagemaker.aws.amazon.com/dpd-role"
STORAGE = "sagemaker-hyperpod://$(NODE_IP):9200"
MERGE = "application/merge-patch+json"

# Without the schema, which is the operator's; with the subresources that it has.
_OPEN = {"openAPIV3Schema": {"x-kubernetes-preserve-unknown-fields": True}}
_VERSION = {"name": "v1", "served": True, "schema": _OPEN, "subresources": {"status": {}, "scale": {}}}
DEFINITION = {
    "spec": {
        "group": "inference.sagemaker.aws.amazon.com",
        "names": {"plural": "inferenceendpointconfigs", "kind": "InferenceEndpointConfig"},
        "versions": [_VERSION],
    }
}


def cluster(definition: dict[str, Any] | None = None, users: Mapping[str, User] | None = None) -> StandIn:
    server = StandIn(users)
    server.define(definition or DEFINITION)
    return server


def deploy(server: StandIn, document: dict[str, Any], **status: Any) -> None:
    """Create the endpoint; `status` is what the operator writes."""
    metadata = {"name": document["metadata"]["name"], "namespace": "default"}
    ask(server, "POST", ENDPOINTS, {**document, "metadata": metadata})
    if status:
        ask(server, "PATCH", f"{ENDPOINTS}/{metadata['name']}/status", {"status": status}, MERGE)


def run_pod(
    server: StandIn, name: str, container: dict[str, Any], *, namespace: str = "default", ready: bool = True, **labels: str
) -> None:
    """A pod with one container, and the address and condition that a kubelet would write."""
    path = f"/api/v1/namespaces/{namespace}/pods"
    named = {"name": name, "labels": {key.replace("role", ROLE) if key == "role" else key: value for key, value in labels.items()}}
    spec = {
        "containers": [
            {"name": "sidecar", "image": "nginx"},
            {"name": "engine", "image": "lmcache/vllm-openai:v0.4.3", **container},
        ]
    }
    ask(server, "POST", path, {"metadata": named, "spec": spec})
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    ask(
        server,
        "PATCH",
        f"{path}/{name}/status",
        {"status": {"phase": "Running", "podIP": "10.0.0.7", "conditions": conditions}},
        MERGE,
    )


def engine(**variables: str) -> dict[str, Any]:
    """An engine's container as the operator starts it: with arguments only, and LMCache's variables."""
    return {"args": ["/opt/ml/model"], "env": [{"name": name, "value": value} for name, value in variables.items()]}
