"""An endpoint of ours, and the operator's own files where they are at hand."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from stack.kube.hyperpod.notes import Note

SHARED = Path(__file__).parents[5] / "shared" / "fixtures" / "hyperpod"
STRATEGIES = ("kv_aware", "prefix_aware", "round_robin", "session")
GPU = {"limits": {"nvidia.com/gpu": "8"}}


def endpoint(**spec: Any) -> dict[str, Any]:
    """A small one; None leaves a field out."""
    whole = {
        "modelName": "llama",
        "modelSourceConfig": {"modelSourceType": "s3", "s3Storage": {"bucketName": "b", "region": "us-west-2"}},
        "worker": worker(),
        **spec,
    }
    return {
        "apiVersion": "inference.sagemaker.aws.amazon.com/v1",
        "kind": "InferenceEndpointConfig",
        "metadata": {"name": "llama", "namespace": "team"},
        "spec": {name: value for name, value in whole.items() if value is not None},
    }


def worker(**changed: Any) -> dict[str, Any]:
    return {
        "image": "lmcache/vllm-openai:v0.4.3",
        "args": ["/opt/ml/model", "--served-model-name", "llama"],
        "modelInvocationPort": {"containerPort": 8000, "name": "http"},
        "modelVolumeMount": {"name": "model-weights"},
        "resources": GPU,
        **changed,
    }


def disaggregated(prefill: int = 2, decode: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "prefillSpec": {"replicas": prefill, "resources": GPU},
        "decodingSpec": {"replicas": decode, "resources": GPU},
        "routingThreshold": 2048,
        **more,
    }


def routing(strategy: str = "kvaware") -> dict[str, Any]:
    return {"enabled": True, "routingStrategy": strategy}


def said(notes: Iterable[Note]) -> list[tuple[str, str]]:
    """Kind and field of each note."""
    return [(note.kind.value, note.field) for note in notes]


@functools.cache
def _read(name: str) -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the definition has 7,700 lines
    found: dict[str, Any] = yaml.load((SHARED / name).read_text(), loader)
    return found


def _theirs(name: str) -> dict[str, Any]:
    if not (SHARED / name).exists():
        pytest.skip(f"{SHARED / name} is not here: it is the operator's, and not kept in this repository")
    return _read(name)


def crd() -> dict[str, Any]:
    """The operator's definition, or a skip."""
    return _theirs("inferenceendpointconfigs.crd.yaml")


def schema() -> dict[str, Any]:
    """Of the version that is stored."""
    found: dict[str, Any] = next(one for one in crd()["spec"]["versions"] if one["storage"])["schema"]["openAPIV3Schema"]
    return found


def full() -> dict[str, Any]:
    """The operator's whole example, or a skip."""
    return _theirs("iec_full.yaml")
