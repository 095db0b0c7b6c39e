"""Pools on Kubernetes grow and shrink through /scale, and never over somebody else's scaling."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from stack.control.machinery import Phase, Workload
from stack.control.ports import ScalerError
from stack.kube.workloads import WorkloadKind
from stack.model.tier import Pool
from tests.stack.control.scaler_conformance import MODEL, conforms, engines
from tests.stack.kube.cluster import DEPLOYMENT, STATEFUL_SET, Cluster, cluster
from tests.stack.kube.hands import COST, MERGE, told
from tests.stack.kube.servers import NAMESPACE
from tests.stack.kube.stand_in.api_server import StandIn
from tests.stack.kube.stand_in.rights import ADMIN, User

pytestmark = pytest.mark.usefixtures("api_server")
KINDS = pytest.mark.parametrize("kind", [DEPLOYMENT, STATEFUL_SET])


async def decode(it: Cluster) -> dict[str, str]:
    return {name: one.phase for name, one in (await engines(it, Pool.DECODE)).items()}


async def scale_of(it: Cluster, kind: WorkloadKind) -> int:
    replicas: int = told(await it.hands.http.get(f"{it.hands.workload(kind.plural, 'decode')}/scale"))["spec"]["replicas"]
    return replicas


@KINDS
async def test_it_conforms(kind: WorkloadKind) -> None:
    await conforms(await cluster(kind))


async def test_a_deployment_ends_the_pod_that_was_drained_by_its_deletion_cost() -> None:
    it = await cluster(DEPLOYMENT)
    first, second = await decode(it)
    await it.scaler.remove(first)
    pod = told(await it.hands.http.get(it.hands.pods(first)))
    assert pod["metadata"]["annotations"] == {COST: "-2147483648"}
    await it.settle()
    assert await decode(it) == {second: "running"}
    assert await scale_of(it, DEPLOYMENT) == 1


async def test_removing_twice_what_takes_long_to_end_ends_one() -> None:
    it = await cluster(DEPLOYMENT)
    first, _ = await decode(it)
    for _ in range(3):
        await it.scaler.remove(first)
        it.clock.advance(60)
        await it.scaler.look()
    assert await scale_of(it, DEPLOYMENT) == 1


async def test_two_leave_in_one_go() -> None:
    it = await cluster(DEPLOYMENT)
    await it.scaler.grow(MODEL, Pool.DECODE, 2)
    await it.settle()
    first, *stay, last = await decode(it)
    await it.scaler.remove(first)
    await it.scaler.remove(last)
    await it.settle()
    assert list(await decode(it)) == stay


async def test_a_pod_that_would_be_ended_in_the_place_of_another_is_named() -> None:
    it = await cluster(DEPLOYMENT)
    first, second = await decode(it)
    await it.hands.ready(first, status="False")
    it.clock.advance(60)
    assert {name: one.turn for name, one in (await engines(it, Pool.DECODE)).items()} == {first: 4, second: 5}
    with pytest.raises(ScalerError, match=f"Deployment decode would end {first} in its place, which cannot serve"):
        await it.scaler.remove(second)
    assert await scale_of(it, DEPLOYMENT) == 2


async def test_nothing_is_removed_while_another_version_rolls_out() -> None:
    it = await cluster(DEPLOYMENT)
    first, _ = await decode(it)
    await it.hands.http.patch(it.hands.pods(first), json={"metadata": {"labels": {"pod-template-hash": "7f"}}}, headers=MERGE)
    it.clock.advance(60)
    await it.scaler.look()
    with pytest.raises(ScalerError, match="rolls out another version"):
        await it.scaler.remove(first)


async def test_a_stateful_set_ends_its_highest_ordinal_and_says_so_before() -> None:
    it = await cluster(STATEFUL_SET)
    assert await it.scaler.grow(MODEL, Pool.DECODE, 2) == ("decode-2", "decode-3")
    assert await decode(it) == {"decode-0": "running", "decode-1": "running", "decode-2": "starting", "decode-3": "starting"}
    assert [one.turn for one in (await engines(it, Pool.DECODE)).values()] == [0, -1, -2, -3]
    with pytest.raises(ScalerError, match="StatefulSet decode ends decode-3 before decode-1"):
        await it.scaler.remove("decode-1")


async def test_a_scale_that_somebody_changed_meanwhile_is_not_overwritten() -> None:
    it = await cluster(DEPLOYMENT)
    first, _ = await decode(it)
    await it.hands.scale("deployments", "decode", 5)
    with pytest.raises(ScalerError, match="Deployment decode was scaled from 2 to 5 meanwhile: that is not overwritten"):
        await it.scaler.grow(MODEL, Pool.DECODE, 1)
    assert await scale_of(it, DEPLOYMENT) == 5
    it.clock.advance(60)
    assert (await it.scaler.look()).workloads[1] == Workload(MODEL, Pool.DECODE, "Deployment decode", 5, "kubectl")
    assert len(await decode(it)) == 5
    assert first in await decode(it)


class Hasty(httpx.AsyncBaseTransport):
    """Changes the workload's status between every reading of its scale and every writing."""

    def __init__(self, it: Cluster, times: int) -> None:
        self.it, self.left, self.changed = it, times, 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "PUT" and self.left:
            self.left, self.changed = self.left - 1, self.changed + 1
            path = f"{self.it.hands.workload('deployments', 'decode')}/status"
            told(await self.it.hands.http.patch(path, json={"status": {"observedGeneration": self.changed}}, headers=MERGE))
        return await self.it.way.transport.handle_async_request(request)


@pytest.mark.parametrize(("times", "replicas"), [(4, 3), (5, 2)])
async def test_a_conflict_is_tried_again_a_few_times(times: int, replicas: int) -> None:
    it = await cluster(DEPLOYMENT)
    await it.scaler.look()
    hasty = Hasty(it, times)
    it.scaler._http._transport = hasty  # type: ignore[attr-defined]  # between the scaler and its server
    if replicas == 3:
        await it.scaler.grow(MODEL, Pool.DECODE, 1)
    else:
        with pytest.raises(ScalerError, match="changes all the time: scaling it was tried 5 times"):
            await it.scaler.grow(MODEL, Pool.DECODE, 1)
    assert (hasty.changed, await scale_of(it, DEPLOYMENT)) == (times, replicas)


async def test_who_may_only_read_is_told_what_it_may_not() -> None:
    reads = {"verbs": ["get", "list"]}
    rules = [
        {"apiGroups": ["", "apps", "autoscaling"], "resources": [*names], **reads}
        for names in (["pods"], ["deployments", "deployments/scale"], ["horizontalpodautoscalers"])
    ]
    it = await cluster(DEPLOYMENT, StandIn({"admin": ADMIN, "reader": User("reader", rules, NAMESPACE)}), "reader")
    assert len(await decode(it)) == 2
    with pytest.raises(ScalerError, match=r"does not scale Deployment decode: 403 .* cannot update resource"):
        await it.scaler.grow(MODEL, Pool.DECODE, 1)


async def test_who_may_not_see_autoscalers_does_not_know_whose_the_replicas_are() -> None:
    rules = [
        {"apiGroups": ["", "apps"], "resources": ["pods", "deployments", "deployments/scale"], "verbs": ["get", "list", "update"]}
    ]
    it = await cluster(DEPLOYMENT, StandIn({"admin": ADMIN, "scaler": User("scaler", rules, NAMESPACE)}), "scaler")
    with pytest.raises(ScalerError, match=r"does not tell of the pools: 403 horizontalpodautoscalers.autoscaling is forbidden"):
        await it.scaler.look()


@pytest.mark.parametrize(
    ("status", "phase", "detail"),
    [
        (
            {"conditions": [{"type": "PodScheduled", "status": "False", "message": "0/3 nodes: no gpu"}]},
            Phase.STARTING,
            "its pod is not scheduled: 0/3 nodes: no gpu",
        ),
        (
            {
                "phase": "Running",
                "containerStatuses": [
                    {"name": "engine", "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}}}
                ],
            },
            Phase.DOWN,
            "engine: CrashLoopBackOff back-off 5m0s",
        ),
        ({"phase": "Unknown"}, Phase.DOWN, "its node does not answer"),
    ],
)
async def test_a_pod_that_does_not_serve_says_why(status: dict[str, Any], phase: Phase, detail: str) -> None:
    it = await cluster(STATEFUL_SET)
    await it.hands.end("decode-1")
    await it.hands.create("decode-1", {"app": "decode"})
    await it.hands.http.patch(f"{it.hands.pods('decode-1')}/status", json={"status": status}, headers=MERGE)
    it.clock.advance(60)
    one = (await engines(it, Pool.DECODE))["decode-1"]
    assert (one.phase, one.detail) == (phase, detail)


async def test_a_dead_pod_does_not_count_and_its_successor_is_awaited() -> None:
    it = await cluster(DEPLOYMENT)
    first, second = await decode(it)
    await it.hands.http.patch(f"{it.hands.pods(first)}/status", json={"status": {"phase": "Failed"}}, headers=MERGE)
    it.clock.advance(60)
    assert await decode(it) == {second: "running", "decode-awaited-1": "starting"}


async def test_a_pod_that_cannot_be_made_says_why() -> None:
    it = await cluster(DEPLOYMENT)
    await it.scaler.grow(MODEL, Pool.DECODE, 1)
    failure = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota: gpus"}
    path = f"{it.hands.workload('deployments', 'decode')}/status"
    told(await it.hands.http.patch(path, json={"status": {"conditions": [failure]}}, headers=MERGE))
    it.clock.advance(60)
    assert (await engines(it, Pool.DECODE))["decode-awaited-1"].detail == "its pod is not made yet: exceeded quota: gpus"


async def test_a_pod_that_is_being_ended_is_said_to_be() -> None:
    it = await cluster(DEPLOYMENT)
    first, _ = await decode(it)
    await it.hands.bind(first)
    await it.hands.http.delete(it.hands.pods(first))
    it.clock.advance(60)
    assert (await decode(it))[first] == "ending"


async def test_the_api_server_is_asked_once_a_second_at_most() -> None:
    it = await cluster(DEPLOYMENT)
    await it.scaler.look()
    asked = len(it.way.server.asked)
    it.clock.advance(0.9)
    await it.scaler.look()
    assert len(it.way.server.asked) == asked
    it.clock.advance(0.2)
    await it.scaler.look()
    assert len(it.way.server.asked) == asked + 4  # two a pool; autoscalers are asked for more rarely
