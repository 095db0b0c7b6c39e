"""What HyperPod's operator would do with an endpoint, done by hand: a Deployment for each role, of as many replicas as it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from stack.control.ports import PoolScaler
from stack.kube.access import Access
from stack.kube.engine_pods import Selection
from stack.kube.hyperpod.dial import EndpointDial
from stack.kube.hyperpod.endpoint_map import Endpoint
from stack.kube.scaler import KubernetesScaler
from tests.stack.api.deck import Clock
from tests.stack.control.scaler_conformance import MODEL
from tests.stack.kube.hands import MERGE, Hands, told
from tests.stack.kube.hyperpod.cluster import cluster as hyperpod
from tests.stack.kube.hyperpod.samples import disaggregated, endpoint
from tests.stack.kube.stand_in.rights import User
from tests.stack.kube.stand_in.transport import InProcess

NAMESPACE = "serving"
PATH = f"/apis/inference.sagemaker.aws.amazon.com/v1/namespaces/{NAMESPACE}/inferenceendpointconfigs"
OWN = Endpoint(MODEL, NAMESPACE, "llama")


@dataclass
class Operated:
    """`stack.control.ports.PoolScaler` over an endpoint that an operator looks after whenever it is settled."""

    hands: Hands
    scaler: PoolScaler
    clock: Clock
    transport: InProcess

    async def settle(self) -> None:
        await operate(self.hands)
        await self.hands.settle()
        self.clock.advance(60)

    async def break_down(self) -> None:
        self.transport.broken = httpx.ConnectError("refused")
        self.clock.advance(60)

    async def document(self) -> dict[str, Any]:
        return told(await self.hands.http.get(f"{PATH}/llama"))

    async def edit(self, spec: dict[str, Any], manager: str = "kubectl") -> None:
        """Somebody else's change."""
        told(await self.hands.http.patch(f"{PATH}/llama", json={"spec": spec}, params={"fieldManager": manager}, headers=MERGE))
        self.clock.advance(60)


async def operate(hands: Hands) -> None:
    """Bring the Deployments to what the endpoint says."""
    spec = told(await hands.http.get(f"{PATH}/llama"))["spec"]
    if "pdSpec" not in spec:
        wanted = {"llama": spec.get("replicas", 1)}
        await hands.http.patch(f"{PATH}/llama/status", json={"status": {"selector": "app=llama"}}, headers=MERGE)
    else:
        wanted = {
            f"{role}-llama": spec["pdSpec"][f"{name}Spec"]["replicas"]
            for role, name in (("prefill", "prefill"), ("decode", "decoding"))
        }
    for name, replicas in wanted.items():
        there = await hands.http.get(hands.workload("deployments", name))
        if there.status_code == 404:
            await hands.make("Deployment", name, replicas)
        elif there.json()["spec"]["replicas"] != replicas:
            await hands.scale("deployments", name, replicas, "operator")


async def operated(
    own: Endpoint = OWN,
    *,
    live: bool = True,
    most_decoders: int = 8,
    definition: dict[str, Any] | None = None,
    users: Mapping[str, User] | None = None,
    token: str = "admin",
    **spec: Any,
) -> Operated:
    """One prefill engine and two decode engines, all ready: more decoders than are documented, which a test may have."""
    server, clock = hyperpod(definition, users), Clock()
    transport = InProcess(server)
    headers = {"authorization": "Bearer admin", "user-agent": "hands/1"}
    http = httpx.AsyncClient(base_url="http://kube", headers=headers, transport=InProcess(server))
    document = endpoint(**(spec or {"pdSpec": disaggregated(prefill=1, decode=2)}))
    told(await http.post(PATH, json={**document, "metadata": {"name": "llama"}}), 201)
    access = Access("http://kube", NAMESPACE, True, lambda: f"Bearer {token}")
    dial = EndpointDial([own], live=live, most_decoders=most_decoders)
    scaler = KubernetesScaler(access, tuple(own.workloads()), Selection("app"), clock, transport, dial)
    it = Operated(Hands(http, NAMESPACE), scaler, clock, transport)
    await it.settle()
    return it
