"""The API server that a test's cluster is on: the stand-in, or a real one that KUBECONFIG leads to.

What is done to a real one stays in a namespace of its own, which is made and emptied for each test; controllers and kubelets
are played by hand (tests.stack.kube.hands), so it needs no nodes, and must have no controller manager.
"""

from __future__ import annotations

import asyncio
import copy
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from stack.kube.access import Access, from_kubeconfig
from tests.stack.kube.hands import Hands, told
from tests.stack.kube.stand_in.api_server import StandIn
from tests.stack.kube.stand_in.transport import InProcess

NAMESPACE = "kvdeck-tests"
_MINE = {"kvdeck/tests": "true"}
_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_KINDS = (
    "/apis/apps/v1/namespaces/{}/deployments",
    "/apis/apps/v1/namespaces/{}/statefulsets",
    "/apis/autoscaling/v1/namespaces/{}/horizontalpodautoscalers",
    "/apis/keda.sh/v1alpha1/namespaces/{}/scaledobjects",
    "/apis/inference.sagemaker.aws.amazon.com/v1/namespaces/{}/inferenceendpointconfigs",
    "/api/v1/namespaces/{}/pods",
)


class Breakable(httpx.AsyncBaseTransport):
    """The way to a server; `broken` is raised in its place while it is set."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.inner = inner
        self.broken: Exception | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.broken is not None:
            raise self.broken
        return await self.inner.handle_async_request(request)


@dataclass
class Reached:
    """How the code under test asks (`access`, `transport`), and an administrator's `hands`. No stand-in on a real server."""

    access: Access
    transport: Breakable
    hands: Hands
    stand_in: StandIn | None

    @property
    def server(self) -> StandIn:
        return self.stand_in or pytest.skip("this looks into the stand-in")

    async def define(self, definition: dict[str, Any]) -> None:
        """Custom resources are served from now on, also by a definition that is there already."""
        if self.stand_in is not None:
            self.stand_in.define(definition)
            return
        answer = await self.hands.http.post(_DEFINITIONS, json=_taken(definition))
        assert answer.status_code in (201, 409), answer.text
        group, plural = definition["spec"]["group"], definition["spec"]["names"]["plural"]
        version = next(one["name"] for one in definition["spec"]["versions"] if one.get("storage"))
        async with asyncio.timeout(20):
            path = f"/apis/{group}/{version}/{plural}"
            while (await self.hands.http.get(path)).status_code != 200:  # noqa: ASYNC110  # it tells nobody
                await asyncio.sleep(0.1)


@dataclass
class RealServer:
    """The server of the current context."""

    access: Access
    transports: list[httpx.AsyncBaseTransport] = field(default_factory=list)

    @classmethod
    def found(cls) -> RealServer:
        """Skips where KUBECONFIG leads nowhere."""
        path = os.environ.get("KUBECONFIG")
        if not path:
            pytest.skip("KUBECONFIG names no API server to run this against")
        return cls(from_kubeconfig(Path(path)))

    async def reached(self) -> Reached:
        """An empty namespace on it."""
        headers = {"user-agent": "hands/1"} | ({"authorization": value} if (value := self.access.authorization()) else {})
        http = httpx.AsyncClient(base_url=self.access.url, headers=headers, transport=self._transport(), timeout=20)
        await self._empty(http)
        access = Access(self.access.url, NAMESPACE, self.access.tls, self.access.authorization)
        return Reached(access, Breakable(self._transport()), Hands(http, NAMESPACE), None)

    def _transport(self) -> httpx.AsyncBaseTransport:
        # No connection outlives its answer, and so none its test.
        return httpx.AsyncHTTPTransport(verify=self.access.tls, limits=httpx.Limits(max_keepalive_connections=0), trust_env=False)

    async def _empty(self, http: httpx.AsyncClient) -> None:
        lease = await http.get("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager")
        if lease.status_code == 200:
            pytest.skip("a controller manager runs there, whose work these tests do by hand")
        found = await http.get(f"/api/v1/namespaces/{NAMESPACE}")
        if found.status_code == 404:
            told(await http.post("/api/v1/namespaces", json={"metadata": {"name": NAMESPACE, "labels": _MINE}}), 201)
            account = {"metadata": {"name": "default"}, "automountServiceAccountToken": False}
            await http.post(f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts", json=account)  # pods want one, where that is checked
        elif not _MINE.items() <= told(found)["metadata"].get("labels", {}).items():
            pytest.skip(f"the namespace {NAMESPACE} is not of these tests")
        for path in (kind.format(NAMESPACE) for kind in _KINDS):
            listed = await http.get(path)
            for one in listed.json()["items"] if listed.status_code == 200 else ():
                await http.delete(f"{path}/{one['metadata']['name']}", params={"gracePeriodSeconds": 0})


class Servers:
    """`real` is where clusters are made while it is set; else each is on a stand-in of its own."""

    real: RealServer | None = None


async def reached(server: StandIn | None = None, token: str = "admin") -> Reached:
    """A server as `token` asks it; one that is given is the stand-in that it has to be."""
    if Servers.real is not None:
        if server is not None:
            pytest.skip("this is about users that the stand-in knows")
        return await Servers.real.reached()
    server = server or StandIn()
    headers = {"authorization": "Bearer admin", "user-agent": "hands/1"}
    http = httpx.AsyncClient(base_url="http://kube", headers=headers, transport=InProcess(server))
    access = Access("http://kube", NAMESPACE, True, lambda: f"Bearer {token}")
    return Reached(access, Breakable(InProcess(server)), Hands(http, NAMESPACE), server)


def _taken(definition: dict[str, Any]) -> dict[str, Any]:
    """As a server without the operator takes it: nothing converts, and no default is an empty text."""
    document = copy.deepcopy(definition)
    document["spec"].pop("conversion", None)
    document.setdefault("apiVersion", "apiextensions.k8s.io/v1")
    document.setdefault("kind", "CustomResourceDefinition")
    plain: dict[str, Any] = _without_empty(document)
    return plain


def _without_empty(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_empty(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: _without_empty(one) for key, one in value.items() if not (key == "default" and one == "")}
