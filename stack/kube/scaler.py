"""Pools as Deployments and StatefulSets: scaled through /scale, never over somebody else's scaling."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import httpx

from stack.control.machinery import Machinery
from stack.control.ports import ScalerError
from stack.kube.access import Access
from stack.kube.api import CONFLICT, KubeError, client, list_pods, merge
from stack.kube.autoscalers import Autoscalers, autoscalers
from stack.kube.dial import Dial, ScaleDial
from stack.kube.engine_pods import Selection
from stack.kube.objects import Pod
from stack.kube.pod_phase import turn
from stack.kube.pool_map import PoolWorkload
from stack.kube.pool_sight import PoolSight
from stack.kube.workloads import WorkloadKind, selector_text
from stack.model.target import Target
from stack.model.tier import Pool

# A look costs two requests a pool: routers' reports must not make more of them than the API server likes.
FRESH_SECONDS = 1.0
# Autoscalers come and go with deployments of software, not with load.
_AUTOSCALERS_SECONDS = 10.0
# Somebody writes the status of a workload a few times in a second at most.
_TRIES = 5
COST = "controller.kubernetes.io/pod-deletion-cost"
_LOWEST = "-2147483648"


class KubernetesScaler:
    """`stack.control.ports.PoolScaler` over the API server; without a `dial` by /scale. `clock` is monotonic."""

    def __init__(
        self,
        access: Access,
        pools: Sequence[PoolWorkload],
        selection: Selection,
        clock: Callable[[], float],
        transport: httpx.AsyncBaseTransport | None = None,
        dial: Dial | None = None,
    ) -> None:
        self._http, self._dial = client(access, transport), dial or ScaleDial()
        self._pools, self._selection, self._clock = tuple(pools), selection, clock
        self._sights: dict[PoolWorkload, PoolSight] = {}
        self._looked_at: float | None = None
        self._told: list[Target] | None = None
        self._autoscalers: dict[str, tuple[float, Autoscalers]] = {}
        self._going: set[str] = set()  # engines that were scaled away and whose pods do not end yet

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def look(self) -> Machinery:
        """Asks anew at most once a second, and after what was changed from here."""
        if self._looked_at is None or self._clock() - self._looked_at >= FRESH_SECONDS:
            await self._look()
        sights = self._sights.values()
        return Machinery(tuple(one for sight in sights for one in sight.processes()), tuple(sight.workload for sight in sights))

    def targets(self) -> list[Target] | None:
        """The engines that could be reached at the last look, when that changed since the last time, else None."""
        found = sorted((one for sight in self._sights.values() for one in sight.targets()), key=lambda one: one.replica)
        if not self._sights or found == self._told:
            return None
        self._told = found
        return found

    async def grow(self, model: str, pool: Pool, by: int) -> tuple[str, ...]:
        sight = await self._sight(model, pool)
        await self._rescale(sight, by)
        return sight.following(by)

    async def remove(self, name: str) -> None:
        sight = next((sight for sight in self._sights.values() if self._has(sight, name)), None)
        if sight is None:
            raise ScalerError(f"no workload of kvdeck's pools has an engine {name}")
        pod = sight.named(name)
        if name in self._going or (pod is not None and pod.metadata.deletion_timestamp is not None):
            return  # it was told to end, and takes its time
        going = [one for one in sight.alive if sight.name(one) in self._going]
        if len(sight.alive) - len(going) > sight.replicas:
            raise ScalerError(f"{sight.where.words} has more pods than the {sight.replicas} it is to have, and has yet to end some")
        if sight.where.kind is WorkloadKind.STATEFUL_SET:
            if name != sight.last():
                raise ScalerError(f"{sight.where.words} ends {sight.last()} before {name}")
            await self._rescale(sight, -1)
        else:
            await self._remove_of_deployment(sight, pod, going)
        self._going.add(name)

    async def _remove_of_deployment(self, sight: PoolSight, pod: Pod | None, going: Sequence[Pod]) -> None:
        if sight.revisions > 1:
            raise ScalerError(f"{sight.where.words} rolls out another version: which pod it would end is not known")
        if pod is None:  # it is still to be made
            return await self._rescale(sight, -1)
        before = [name for name, _ in sight.awaited()]
        before += [sight.name(one) for one in sight.alive if one not in going and turn(one) < turn(pod)]
        if before:
            raise ScalerError(f"{sight.where.words} would end {', '.join(before)} in its place, which cannot serve")
        await self._set_cost(pod, _LOWEST)
        try:
            await self._rescale(sight, -1)
        except ScalerError:
            await self._set_cost(pod, None)
            raise

    async def _rescale(self, sight: PoolSight, by: int) -> None:
        """Change the replicas by `by` from what they were when they were looked at. Raises ScalerError."""
        where, before = sight.where, sight.replicas
        self._looked_at = None
        with _refusals(f"scale {where.words}"):
            for _ in range(_TRIES):
                try:
                    await self._dial.turn(self._http, where, before, before + by)
                except KubeError as error:
                    if error.status != CONFLICT:
                        raise
                else:
                    self._sights[where] = sight.scaled(before + by)  # what comes next goes by this, until it is looked at anew
                    return
        raise ScalerError(f"{where.words} changes all the time: scaling it was tried {_TRIES} times")

    async def _set_cost(self, pod: Pod, cost: str | None) -> None:
        path = f"/api/v1/namespaces/{pod.metadata.namespace}/pods/{pod.metadata.name}"
        with _refusals(f"set the deletion cost of {pod.metadata.name}"):
            await merge(self._http, path, {"metadata": {"annotations": {COST: cost}}})

    async def _sight(self, model: str, pool: Pool) -> PoolSight:
        if not self._sights:
            await self._look()
        for where, sight in self._sights.items():
            if (where.model, where.pool) == (model, pool):
                return sight
        raise ScalerError(f"no workload is configured to run the {pool} pool of {model}")

    async def _look(self) -> None:
        self._looked_at = None
        with _refusals("tell of the pools"):
            sights = await asyncio.gather(*(self._look_at(where) for where in self._pools))
        self._sights = dict(zip(self._pools, sights, strict=True))
        self._going &= {sight.name(pod) for sight in sights for pod in sight.alive}
        self._looked_at = self._clock()

    async def _look_at(self, where: PoolWorkload) -> PoolSight:
        told = await self._dial.read(self._http, where)
        pods, _ = await list_pods(self._http, where.namespace, selector_text(told.found.spec.selector))
        return PoolSight(where, told, tuple(pods), await self._scaling(where.namespace), self._selection, self._ours(where))

    def _ours(self, where: PoolWorkload) -> int | None:
        known = self._sights.get(where)
        return None if known is None else known.ours

    async def _scaling(self, namespace: str) -> Autoscalers:
        at, known = self._autoscalers.get(namespace, (None, Autoscalers()))
        if at is None or self._clock() - at >= _AUTOSCALERS_SECONDS:
            known = await autoscalers(self._http, namespace)
            self._autoscalers[namespace] = self._clock(), known
        return known

    @staticmethod
    def _has(sight: PoolSight, name: str) -> bool:
        return sight.named(name) is not None or any(name == awaited for awaited, _ in sight.awaited())


@contextmanager
def _refusals(what: str) -> Iterator[None]:
    """Whatever the API server, or the way to it, refuses is a ScalerError."""
    try:
        yield
    except KubeError as error:
        raise ScalerError(f"the API server does not {what}: {error}") from error
    except (httpx.HTTPError, OSError) as error:
        raise ScalerError(f"the API server cannot be asked to {what}: {type(error).__name__}") from error
