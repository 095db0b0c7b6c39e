"""Asking an API server for what runs of an endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx

from stack.kube.access import Access
from stack.kube.api import KubeError, client, list_objects
from stack.kube.hyperpod.comparison import Facts
from stack.kube.hyperpod.endpoints import endpoint
from stack.kube.hyperpod.pods import ROLE_LABEL, ROUTERS_NAMESPACE, routers_of, seen
from stack.kube.hyperpod.reading import ResourceError, read
from stack.kube.hyperpod.resource import Resource
from stack.kube.launched import LaunchedPod

_UNSELECTED = "which pods are the endpoint's is not known: its status has no selector; name labels with --selector"


async def look(
    access: Access, wanted: Resource, namespace: str, selector: str | None, transport: httpx.AsyncBaseTransport | None = None
) -> Facts:
    """What runs of `wanted` in `namespace`. What may not be read is a fault of that part alone; raises nothing of the network's."""
    async with client(access, transport) as http:
        running, running_fault = await _running(http, namespace, wanted.name)
        chosen = selector or _selector(wanted, running)
        pods, pods_fault = (None, _UNSELECTED) if chosen is None else await _pods(http, namespace, chosen)
        routers, routers_fault = await _pods(http, ROUTERS_NAMESPACE, "")
    of_endpoint = None
    if pods is not None:
        disaggregated = wanted.known_spec.pd_spec is not None
        of_endpoint = seen(pods, wanted.name, wanted.spec.worker, disaggregated=disaggregated)
    return Facts(
        running=running,
        running_fault=running_fault,
        pods=of_endpoint,
        pods_fault=pods_fault,
        pods_are=f"pods with {chosen}",
        routers=None if routers is None else routers_of(routers, wanted.name, namespace),
        routers_fault=routers_fault,
    )


def _selector(wanted: Resource, running: Resource | None) -> str | None:
    """Disaggregated pods bear their role; what others bear the operator writes into the status, for /scale."""
    if wanted.known_spec.pd_spec is not None:
        return ROLE_LABEL
    status: Mapping[str, Any] = (running.status if running is not None else None) or {}
    return str(status["selector"]) if status.get("selector") else None


async def _running(http: httpx.AsyncClient, namespace: str, name: str) -> tuple[Resource | None, str]:
    try:
        return read(await endpoint(http, namespace, name)).resource, ""
    except (KubeError, httpx.HTTPError, ResourceError) as error:
        return None, _fault(error)


async def _pods(http: httpx.AsyncClient, namespace: str, selector: str) -> tuple[list[LaunchedPod] | None, str]:
    asked = {"labelSelector": selector} if selector else {}
    try:
        return (await list_objects(http, f"/api/v1/namespaces/{quote(namespace, safe='')}/pods", LaunchedPod, asked))[0], ""
    except (KubeError, httpx.HTTPError) as error:
        return None, _fault(error)


def _fault(error: Exception) -> str:
    said = str(error) or type(error).__name__
    return f"the API server does not tell: {said[:200]}"
