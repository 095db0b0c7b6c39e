"""What the chart's roles allow is enough for what is done with them, and for nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from stack.control.ports import ScalerError
from stack.kube.workloads import WorkloadKind
from stack.model.tier import Pool
from tests.stack.control.scaler_conformance import MODEL, conforms, engines
from tests.stack.deploy.chart import manifests
from tests.stack.deploy.test_chart_deck import DECK
from tests.stack.kube.cluster import DEPLOYMENT, STATEFUL_SET, Cluster, cluster
from tests.stack.kube.hyperpod.operator import operated
from tests.stack.kube.servers import NAMESPACE
from tests.stack.kube.stand_in.api_server import StandIn
from tests.stack.kube.stand_in.rights import ADMIN, User


async def as_control(kind: WorkloadKind, mode: str) -> Cluster:
    """A cluster whose scaler may do what the chart lets control do in that mode."""
    pools = {MODEL: {pool.value: {"name": pool.value, "kind": kind.value, "namespace": NAMESPACE} for pool in Pool}}
    values: dict[str, Any] = {**DECK, "control": {**DECK["control"], "mode": mode, "pools": pools}}
    (role,) = [one for one in manifests(values, "Role") if one["metadata"]["name"] == "kvdeck-control"]
    assert role["metadata"]["namespace"] == NAMESPACE
    return await cluster(kind, StandIn({"admin": ADMIN, "control": User("control", role["rules"], NAMESPACE)}), "control")


@pytest.mark.parametrize("kind", [DEPLOYMENT, STATEFUL_SET])
async def test_control_that_acts_can_do_all_that_scaling_needs(kind: WorkloadKind) -> None:
    await conforms(await as_control(kind, "live"))


@pytest.mark.parametrize("kind", [DEPLOYMENT, STATEFUL_SET])
async def test_control_that_observes_sees_everything_and_could_not_scale_if_it_tried(kind: WorkloadKind) -> None:
    it = await as_control(kind, "observe")
    leaver = max(await engines(it, Pool.DECODE))
    with pytest.raises(ScalerError, match="403"):
        await it.scaler.grow(MODEL, Pool.DECODE, 1)
    with pytest.raises(ScalerError, match="403"):
        await it.scaler.remove(leaver)


async def test_control_of_endpoints_can_do_all_that_scaling_them_needs() -> None:
    hyperpod = {"endpoints": {MODEL: {"name": "llama", "namespace": NAMESPACE}}, "livePatching": True}
    values: dict[str, Any] = {**DECK, "control": {**DECK["control"], "mode": "live", "hyperpod": hyperpod}}
    (role,) = [one for one in manifests(values, "Role") if one["metadata"]["name"] == "kvdeck-control"]
    await conforms(await operated(users={"admin": ADMIN, "control": User("control", role["rules"], NAMESPACE)}, token="control"))
