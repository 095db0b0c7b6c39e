"""What an InferenceEndpointConfig must say and desired state does not: where weights come from, and how engines are started."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from stack.engines.vllm_command import SERVED_NAME_OPTION
from stack.kube.hyperpod.notes import Note, NoteKind
from stack.kube.hyperpod.resource import API_VERSION, KIND, NAME_MAX

FILL_IN = "FILL-ME-IN"
# What its documentation names for disaggregated endpoints, with LMCache 0.4.3 and vLLM 0.19.0.
IMAGE = "lmcache/vllm-openai:v0.4.3"
_HUGGING_FACE = re.compile(r"[a-zA-Z0-9_.-]+/[a-zA-Z0-9_.-]+")
_NO_NAME = re.compile(r"[^a-zA-Z0-9.]+")


def skeleton(model: str) -> dict[str, Any]:
    """A valid one for `model`, with placeholders that no server can know to be such."""
    port, mount = {"containerPort": 8000, "name": "http"}, {"name": "model-weights", "mountPath": "/opt/ml/model"}
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": resource_name(model)},
        "spec": {
            "modelName": sagemaker_name(model),
            "modelSourceConfig": _source(model),
            "kvCacheSpec": {"enableL1Cache": True},
            "worker": {
                "image": IMAGE,
                "args": ["/opt/ml/model", SERVED_NAME_OPTION, model],
                "environmentVariables": [{"name": "PYTHONHASHSEED", "value": "0"}],
                "modelInvocationPort": port,
                "modelVolumeMount": mount,
                "resources": {"limits": {"nvidia.com/gpu": "1"}, "requests": {"nvidia.com/gpu": "1"}},
            },
        },
    }


def assumed(document: dict[str, Any]) -> Iterator[Note]:
    """What of a skeleton somebody has to look at."""
    said = {
        "spec.modelSourceConfig": "where the weights are"
        + (f": fill in {FILL_IN}" if "s3Storage" in document["spec"]["modelSourceConfig"] else ", taken from the model's name"),
        "spec.worker.image": "which image engines run, and so which vLLM and LMCache",
        "spec.worker.args": "how engines are started, beyond the model's name",
        "spec.worker.resources": "how many GPUs an engine has",
        "spec.instanceType": "which machines engines run on; left out",
    }
    for path, what in said.items():
        yield Note(kind=NoteKind.ASSUMED, field=path, text=f"desired state does not say {what}; --base FILE takes it from there")


def sagemaker_name(model: str) -> str:
    """`model` in letters, digits, dots and single hyphens, as SageMaker's names are."""
    return _NO_NAME.sub("-", model).strip("-.")[:NAME_MAX].strip("-.") or "model"


def resource_name(model: str) -> str:
    """`model` as the name of an object (RFC 1123 label)."""
    return sagemaker_name(model).lower().replace(".", "-")


def _source(model: str) -> dict[str, Any]:
    if _HUGGING_FACE.fullmatch(model):
        return {"modelSourceType": "huggingface", "huggingFaceModel": {"modelId": model}}
    storage = {"bucketName": FILL_IN, "region": FILL_IN}
    return {"modelSourceType": "s3", "s3Storage": storage, "modelLocation": FILL_IN}
