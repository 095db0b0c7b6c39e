"""What controllers and kubelets would do, done by hand through the API: for servers that have neither."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import httpx

MERGE = {"content-type": "application/merge-patch+json"}
STRATEGIC = {"content-type": "application/strategic-merge-patch+json"}
COST = "controller.kubernetes.io/pod-deletion-cost"
_GROUP = "/apis/apps/v1"


@dataclass
class Hands:
    """Makes, readies and ends pods of one namespace as the workloads there ask for. `http` may do everything."""

    http: httpx.AsyncClient
    namespace: str
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def pods(self, name: str = "") -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods" + (f"/{name}" if name else "")

    def workload(self, plural: str, name: str = "") -> str:
        return f"{_GROUP}/namespaces/{self.namespace}/{plural}" + (f"/{name}" if name else "")

    async def make(self, kind: str, name: str, replicas: int, **metadata: Any) -> None:
        """A Deployment or StatefulSet of `replicas` pods with the label app=`name`."""
        labels = {"app": name}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "engine", "image": "x"}]}}
        spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
        if kind == "StatefulSet":
            spec["serviceName"] = name
        document: dict[str, Any] = {"metadata": {"name": name, **metadata}, "spec": spec}
        document |= {"apiVersion": "apps/v1", "kind": kind}
        told(await self.http.post(self.workload(f"{kind.lower()}s"), json=document), 201)

    async def settle(self) -> None:
        """All workloads have the pods they ask for, all of them ready."""
        await self.reconcile()
        for pod in await self.listed(self.pods()):
            await self.ready(pod["metadata"]["name"])

    async def reconcile(self) -> None:
        """All workloads have as many pods as they ask for; new ones are not ready."""
        for plural, go in (("deployments", self._deployment), ("statefulsets", self._stateful_set)):
            for found in await self.listed(self.workload(plural)):
                own = await self.listed(self.pods(), labelSelector=f"app={found['metadata']['name']}")
                await go(found, {pod["metadata"]["name"]: pod for pod in own})

    async def ready(self, name: str, address: str = "", status: str = "True") -> None:
        """The pod runs at an address, and is ready or not."""
        condition = {"type": "Ready", "status": status, "lastProbeTime": None, "lastTransitionTime": "2026-01-01T00:00:00Z"}
        told(
            await self.http.patch(
                f"{self.pods(name)}/status",
                json={"status": {"phase": "Running", "podIP": address or f"10.0.0.{len(name)}", "conditions": [condition]}},
                headers=STRATEGIC,
            )
        )

    async def create(self, name: str, labels: dict[str, str]) -> None:
        """A pod without a node and without an address."""
        spec = {"containers": [{"name": "engine", "image": "x"}]}
        told(await self.http.post(self.pods(), json={"metadata": {"name": name, "labels": labels}, "spec": spec}), 201)

    async def end(self, name: str) -> None:
        """The pod is gone at once."""
        told(await self.http.delete(self.pods(name), params={"gracePeriodSeconds": 0}))

    async def scale(self, plural: str, name: str, replicas: int, manager: str = "kubectl") -> None:
        """Somebody else's scaling: of the object itself, since servers before 1.22 do not say who used /scale."""
        path, asked = self.workload(plural, name), {"fieldManager": manager}
        told(await self.http.patch(path, json={"spec": {"replicas": replicas}}, params=asked, headers=MERGE))

    async def bind(self, name: str) -> None:
        """The pod is given to a node, and so is not gone at once when it is told to end."""
        target = {"apiVersion": "v1", "kind": "Node", "name": "node-1"}
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target}
        if (await self.http.post(f"{self.pods(name)}/binding", json=binding)).status_code == 404:  # the stand-in has none
            told(await self.http.patch(self.pods(name), json={"spec": {"nodeName": "node-1"}}, headers=MERGE))

    async def listed(self, path: str, **query: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = told(await self.http.get(path, params=query))["items"]
        return items

    async def _deployment(self, found: dict[str, Any], own: dict[str, Any]) -> None:
        name, wanted = found["metadata"]["name"], found["spec"]["replicas"]
        for _ in range(wanted - len(own)):
            await self.create(f"{name}-5c9d-{next(self._numbers):05}", {"app": name, "pod-template-hash": "5c9d"})
        for victim in sorted(own, key=lambda pod: _rank(own[pod]))[: max(0, len(own) - wanted)]:
            await self.end(victim)

    async def _stateful_set(self, found: dict[str, Any], own: dict[str, Any]) -> None:
        name, wanted = found["metadata"]["name"], found["spec"]["replicas"]
        for missing in {f"{name}-{number}" for number in range(wanted)} - own.keys():
            await self.create(missing, {"app": name})
        for number in range(len(own) - 1, wanted - 1, -1):
            await self.end(f"{name}-{number}")


def _rank(pod: dict[str, Any]) -> tuple[bool, bool, int]:
    """In which order a ReplicaSet ends its pods.

    https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#pod-deletion-cost
    """
    conditions = {one["type"]: one["status"] for one in pod["status"].get("conditions", ())}
    cost = int(pod["metadata"].get("annotations", {}).get(COST, "0"))
    return pod["status"]["phase"] == "Running", conditions.get("Ready") == "True", cost


def told(answer: httpx.Response, status: int = 200) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    document: dict[str, Any] = answer.json()
    return document
