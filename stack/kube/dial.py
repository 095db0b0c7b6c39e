"""How a pool's workload is told its replicas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import httpx

from stack.control.machinery import Limit, PoolOwner
from stack.control.ports import ScalerError
from stack.kube.api import get_object, replace
from stack.kube.pool_map import PoolWorkload
from stack.kube.workloads import Scale, ScaleSpec, WorkloadObject


@dataclass(frozen=True, slots=True)
class Dialled:
    """A workload as it is told now. `claim` is who else sets its replicas, beyond what it says of itself.

    `scaled_as` is what autoscalers name as its kind, where that is another than the workload's own.
    """

    found: WorkloadObject
    claim: PoolOwner | None = None
    limit: Limit | None = None
    scaled_as: str | None = None


class Dial(Protocol):
    """Where the replicas of a pool are read and set. Raises KubeError, httpx.HTTPError of both, besides ScalerError."""

    async def read(self, http: httpx.AsyncClient, where: PoolWorkload) -> Dialled:
        """What the workload is told, and which pods are its own."""
        ...

    async def turn(self, http: httpx.AsyncClient, where: PoolWorkload, before: int, after: int) -> None:
        """From `before` to `after`, once. Raises ScalerError where it is no more at `before`, KubeError 409 to be asked again."""
        ...


class ScaleDial:
    """A Deployment's, or a StatefulSet's, own /scale."""

    async def read(self, http: httpx.AsyncClient, where: PoolWorkload) -> Dialled:
        return Dialled(await get_object(http, where.path, WorkloadObject))

    async def turn(self, http: httpx.AsyncClient, where: PoolWorkload, before: int, after: int) -> None:
        scale = await get_object(http, f"{where.path}/scale", Scale)
        check_unmoved(where, before, scale.spec.replicas)
        await replace(http, f"{where.path}/scale", Scale(scale.metadata, ScaleSpec(after)))


def check_unmoved(where: PoolWorkload, before: int, now: int) -> None:
    """Raises ScalerError where somebody else scaled it meanwhile."""
    if now != before:
        raise ScalerError(f"{where.words} was scaled from {before} to {now} meanwhile: that is not overwritten")
