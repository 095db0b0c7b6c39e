"""A namespace with the pools of a small fleet, on the stand-in or on whatever API server a kubeconfig leads to."""

from __future__ import annotations

from dataclasses import dataclass

import httpx

from stack.control.ports import PoolScaler
from stack.kube.engine_pods import Selection
from stack.kube.pool_map import PoolWorkload
from stack.kube.scaler import KubernetesScaler
from stack.kube.workloads import WorkloadKind
from stack.model.tier import Pool
from tests.stack.api.deck import Clock
from tests.stack.control.scaler_conformance import MODEL
from tests.stack.kube.hands import Hands
from tests.stack.kube.servers import NAMESPACE, Reached, reached
from tests.stack.kube.stand_in.api_server import StandIn

DEPLOYMENT, STATEFUL_SET = WorkloadKind.DEPLOYMENT, WorkloadKind.STATEFUL_SET


def pools(kind: WorkloadKind) -> tuple[PoolWorkload, ...]:
    return tuple(PoolWorkload(MODEL, pool, kind, NAMESPACE, pool) for pool in Pool)


@dataclass
class Cluster:
    """`clock` stands still, so that a look is fresh only after a change from here."""

    way: Reached
    scaler: PoolScaler
    clock: Clock

    @property
    def hands(self) -> Hands:
        return self.way.hands

    async def settle(self) -> None:
        await self.hands.settle()
        self.clock.advance(60)

    async def break_down(self) -> None:
        self.way.transport.broken = httpx.ConnectError("refused")
        self.clock.advance(60)


async def cluster(kind: WorkloadKind, server: StandIn | None = None, token: str = "admin") -> Cluster:
    """One prefill engine and two decode engines, all ready."""
    way, clock = await reached(server, token), Clock()
    it = Cluster(way, KubernetesScaler(way.access, pools(kind), Selection("app"), clock, way.transport), clock)
    for pool, replicas in ((Pool.PREFILL, 1), (Pool.DECODE, 2)):
        await it.hands.make(kind, pool, replicas)
    await it.settle()
    return it
