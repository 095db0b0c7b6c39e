"""Where an InferenceEndpointConfig, or desired state, is taken from: a file, standard input, a cluster, control."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml

from stack.kube.access import Access, AccessError, from_kubeconfig, in_cluster
from stack.kube.api import KubeError, client
from stack.kube.hyperpod.endpoints import endpoint
from stack.kube.hyperpod.reading import configs

STDIN = "-"


class SourceError(RuntimeError):
    """It is not there, or is something else; the message is one line."""


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Which cluster, and where in it; None is the environment's, and the context's own namespace."""

    kubeconfig: Path | None = None
    namespace: str | None = None


def from_file(name: str, wanted: str | None = None) -> Mapping[str, Any]:
    """The InferenceEndpointConfig in a YAML or JSON file, `-` for standard input: the only one, or the one called `wanted`.

    Raises SourceError.
    """
    try:
        text = sys.stdin.read() if name == STDIN else Path(name).read_text()
        found = configs(list(yaml.safe_load_all(text)))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SourceError(f"{name} cannot be read: {' '.join(str(error).split())}") from error
    names = [_name(document) for document in found]
    chosen = found if wanted is None else [document for document in found if _name(document) == wanted]
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        raise SourceError(f"{name} has no InferenceEndpointConfig{f' called {wanted}' if wanted and found else ''}")
    raise SourceError(f"{name} has several InferenceEndpointConfigs: {', '.join(names)}; name one with --name")


def from_cluster(options: ClusterOptions, name: str) -> Mapping[str, Any]:
    """The one of that name. Raises SourceError."""
    try:
        access = cluster_access(options.kubeconfig)
        return asyncio.run(_asked(access, options.namespace or access.namespace, name))
    except (AccessError, KubeError) as error:
        raise SourceError(f"{name} cannot be read: {error}") from error
    except httpx.HTTPError as error:
        raise SourceError(f"the API server does not answer: {type(error).__name__}") from error


def cluster_access(kubeconfig: Path | None, environment: Mapping[str, str] = os.environ) -> Access:
    """By the file that is named, else as a pod, else by kubectl's own file. Raises AccessError."""
    if kubeconfig is None and "KUBERNETES_SERVICE_HOST" in environment:
        return in_cluster(environment)
    file = kubeconfig or Path(environment.get("KUBECONFIG") or Path.home() / ".kube" / "config")
    if not file.exists():
        raise AccessError(f"no {file}: name one with --kubeconfig")
    return from_kubeconfig(file)


async def _asked(access: Access, namespace: str, name: str) -> Mapping[str, Any]:
    async with client(access) as http:
        return await endpoint(http, namespace, name)


def _name(document: Mapping[str, Any]) -> str:
    metadata = document.get("metadata")
    return str(metadata.get("name", "")) if isinstance(metadata, Mapping) else ""
