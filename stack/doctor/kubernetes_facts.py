"""Asking an API server for engines' pods, and for what the Prometheus operator is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import httpx

from stack.doctor.facts import Monitored, Process
from stack.doctor.pods import processes
from stack.kube.access import Access
from stack.kube.api import KubeError, client, list_objects
from stack.kube.engine_pods import ALL_NAMESPACES, Selection, engines
from stack.kube.launched import LaunchedPod
from stack.kube.operator import AGENTS, GROUP, Kind, Named, Operator, Prometheus
from stack.model.target import Target

_MISSING = 404


@dataclass(frozen=True, slots=True)
class Cluster:
    """Engines, what is known of their processes by URL, and what is taken up by a Prometheus."""

    targets: Sequence[Target]
    processes: Mapping[str, Process]
    monitored: Monitored


async def ask_cluster(access: Access, selection: Selection, transport: httpx.AsyncBaseTransport | None = None) -> Cluster:
    """Raises KubeError, httpx.HTTPError where not even the pods can be listed."""
    async with client(access, transport) as http:
        pods = [
            pod
            for path in _paths("/api/v1", "pods", access, selection)
            for pod in (await list_objects(http, path, LaunchedPod, {"labelSelector": selection.selector}))[0]
        ]
        return Cluster(engines(pods, selection), processes(pods, selection), await _monitored(http, access, selection))


async def _monitored(http: httpx.AsyncClient, access: Access, selection: Selection) -> Monitored:
    try:
        prometheuses = [*await _all(http, f"{GROUP}/prometheuses"), *await _all(http, AGENTS)]
        namespaces, _ = await list_objects(http, "/api/v1/namespaces", Named)
        objects = [
            (kind, one.metadata)
            for kind in Kind
            for path in _paths(GROUP, kind, access, selection)
            for one in (await list_objects(http, path, Named))[0]
        ]
    except (KubeError, httpx.HTTPError) as error:
        if isinstance(error, KubeError) and error.status == _MISSING:
            return Monitored(None)
        return Monitored(None, fault=f"{type(error).__name__}: {error}"[:200])
    return Monitored(Operator(tuple(prometheuses), tuple(objects), {one.metadata.name: one.metadata.labels for one in namespaces}))


async def _all(http: httpx.AsyncClient, path: str) -> list[Prometheus]:
    """None of a kind that this operator's version does not have, where it has others."""
    try:
        return (await list_objects(http, path, Prometheus))[0]
    except KubeError as error:
        if error.status == _MISSING and path == AGENTS:
            return []
        raise


def _paths(group: str, kind: str, access: Access, selection: Selection) -> list[str]:
    if ALL_NAMESPACES in selection.namespaces:
        return [f"{group}/{kind}"]
    return [f"{group}/namespaces/{namespace}/{kind}" for namespace in selection.namespaces or (access.namespace,)]
