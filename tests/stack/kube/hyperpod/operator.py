"""What HyperPod's operator would do with an endpoint, done by hand: a Deployment for each role, of as many replicas as it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from stack.control.ports import PoolScaler
from stack.kube.engine_pods import Selection
from stack.kube.hyperpod.dial import EndpointDial
from stack.kube.hyperpod.endpoint_map import Endpoint
from stack.kube.scaler import KubernetesScaler
from tests.stack.api.deck import Clock
from tests.stack.control.scaler_conformance import MODEL
from tests.stack.kube.hands import MERGE, Hands, told
from tests.stack.kube.hyperpod.cluster import DEFINITION
from tests.stack.kube.hyperpod.samples import crd, disaggregated, endpoint
from tests.stack.kube.servers import NAMESPACE, Reached, reached
from tests.stack.kube.stand_in.api_server import StandIn
from tests.stack.kube.stand_in.rights import User

PATH = f"/apis/inference.sagemaker.aws.amazon.com/v1/namespaces/{NAMESPACE}/inferenceendpointconfigs"
OWN = Endpoint(MODEL, NAMESPACE, "llama")


@dataclass
class Operated:
    """`stack.control.ports.PoolScaler` over an endpoint that an operator looks after whenever it is settled."""

    way: Reached
    scaler: PoolScaler
    clock: Clock

    @property
    def hands(self) -> Hands:
        return self.way.hands

    async def settle(self) -> None:
        await operate(self.hands)
        await self.hands.settle()
        self.clock.advance(60)

    async def break_down(self) -> None:
        self.way.transport.broken = httpx.ConnectError("refused")
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
    way, clock = await reached(None if users is None else StandIn(users), token), Clock()
    await way.define(definition or (DEFINITION if way.stand_in else crd()))
    http = way.hands.http
    document = endpoint(**(spec or {"pdSpec": disaggregated(prefill=1, decode=2)}))
    told(await http.post(PATH, json={**document, "metadata": {"name": "llama"}}), 201)
    dial = EndpointDial([own], live=live, most_decoders=most_decoders)
    scaler = KubernetesScaler(way.access, tuple(own.workloads()), Selection("app"), clock, way.transport, dial)
    it = Operated(way, scaler, clock)
    await it.settle()
    return it
