"""A namespace with the pools of a small fleet, on the stand-in or on whatever API server a kubeconfig leads to."""

from __future__ import annotations

from dataclasses import dataclass

import httpx

from stack.control.ports import PoolScaler
from stack.kube.access import Access
from stack.kube.engine_pods import Selection
from stack.kube.pool_map import PoolWorkload
from stack.kube.scaler import KubernetesScaler
from stack.kube.workloads import WorkloadKind
from stack.model.tier import Pool
from tests.stack.api.deck import Clock
from tests.stack.control.scaler_conformance import MODEL
from tests.stack.kube.hands import Hands
from tests.stack.kube.stand_in.api_server import StandIn
from tests.stack.kube.stand_in.transport import InProcess

NAMESPACE = "serving"
DEPLOYMENT, STATEFUL_SET = WorkloadKind.DEPLOYMENT, WorkloadKind.STATEFUL_SET


def pools(kind: WorkloadKind, namespace: str = NAMESPACE) -> tuple[PoolWorkload, ...]:
    return tuple(PoolWorkload(MODEL, pool, kind, namespace, pool) for pool in Pool)


@dataclass
class Cluster:
    """`transport` breaks when it is told to; `clock` stands still, so that a look is fresh only after a change from here."""

    hands: Hands
    scaler: PoolScaler
    clock: Clock
    server: StandIn
    transport: InProcess

    async def settle(self) -> None:
        await self.hands.settle()
        self.clock.advance(60)

    async def break_down(self) -> None:
        self.transport.broken = httpx.ConnectError("refused")
        self.clock.advance(60)


async def cluster(kind: WorkloadKind, server: StandIn | None = None, token: str = "admin") -> Cluster:
    """One prefill engine and two decode engines on a stand-in, all ready."""
    server, clock = server or StandIn(), Clock()
    transport = InProcess(server)
    as_admin = httpx.AsyncClient(
        base_url="http://kube", headers={"authorization": "Bearer admin", "user-agent": "hands/1"}, transport=InProcess(server)
    )
    access = Access("http://kube", NAMESPACE, True, lambda: f"Bearer {token}")
    scaler = KubernetesScaler(access, pools(kind), Selection("app"), clock, transport)
    it = Cluster(Hands(as_admin, NAMESPACE), scaler, clock, server, transport)
    for pool, replicas in ((Pool.PREFILL, 1), (Pool.DECODE, 2)):
        await it.hands.make(kind, pool, replicas)
    await it.settle()
    return it
