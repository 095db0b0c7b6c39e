"""InferenceEndpointConfigs in a cluster."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx

from stack.kube.api import get_object
from stack.kube.hyperpod.resource import API_VERSION

_PLURAL = "inferenceendpointconfigs"


def path(namespace: str, name: str) -> str:
    """Where the API server has it."""
    return f"/apis/{API_VERSION}/namespaces/{quote(namespace, safe='')}/{_PLURAL}/{quote(name, safe='')}"


async def endpoint(http: httpx.AsyncClient, namespace: str, name: str) -> dict[str, Any]:
    """The document as the server has it. Raises KubeError, httpx.HTTPError."""
    found: dict[str, Any] = await get_object(http, path(namespace, name), dict[str, Any])
    return found
