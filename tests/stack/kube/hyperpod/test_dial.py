"""Pools of an endpoint grow and shrink by its InferenceEndpointConfig, where that is allowed at all."""

from __future__ import annotations

import pytest

from stack.control.machinery import Limit
from stack.control.ports import ScalerError
from stack.kube.hyperpod.dial import HAND_OVER
from stack.kube.hyperpod.endpoint_map import Endpoint, endpoint_map
from stack.kube.pool_map import PoolMapError
from stack.model.tier import Pool
from tests.stack.control.scaler_conformance import MODEL, conforms, engines
from tests.stack.kube.hyperpod.operator import OWN, Operated, operated
from tests.stack.kube.hyperpod.samples import crd, disaggregated
from tests.stack.kube.servers import NAMESPACE

pytestmark = pytest.mark.usefixtures("api_server")
ALONE = Endpoint(MODEL, NAMESPACE, "llama", disaggregated=False)


async def prefill(it: Operated) -> int:
    replicas: int = (await it.document())["spec"]["pdSpec"]["prefillSpec"]["replicas"]
    return replicas


async def test_it_conforms() -> None:
    await conforms(await operated())


async def test_it_conforms_with_the_operator_s_definition() -> None:
    await conforms(await operated(definition=crd()))


async def test_only_the_replicas_are_patched() -> None:
    it = await operated()
    before = (await it.document())["spec"]
    await it.scaler.grow(MODEL, Pool.PREFILL, 2)
    pd = before["pdSpec"]
    assert (await it.document())["spec"] == before | {"pdSpec": pd | {"prefillSpec": pd["prefillSpec"] | {"replicas": 3}}}
    managers = {entry["manager"] for entry in (await it.document())["metadata"]["managedFields"]}
    assert "kvdeck" in managers


async def test_without_the_flag_nothing_is_set_and_the_pools_are_somebody_else_s() -> None:
    it = await operated(live=False)
    workloads = (await it.scaler.look()).workloads
    assert {(one.owner.kind, one.owner.name, one.owner.hand_over) for one in workloads if one.owner} == {
        ("InferenceEndpointConfig", "llama", HAND_OVER)
    }
    with pytest.raises(ScalerError, match="unverified against the operator"):
        await it.scaler.grow(MODEL, Pool.PREFILL, 1)
    assert await prefill(it) == 1


async def test_more_decoders_than_are_documented_are_refused_with_the_source() -> None:
    it = await operated(most_decoders=1)
    decode = next(one for one in (await it.scaler.look()).workloads if one.pool is Pool.DECODE)
    assert isinstance(decode.limit, Limit)
    with pytest.raises(ScalerError, match=r"3 is more than 1: .* one decode replica .*docs\.aws\.amazon\.com"):
        await it.scaler.grow(MODEL, Pool.DECODE, 1)


async def test_a_pool_that_the_endpoint_scales_by_itself_is_keda_s() -> None:
    scaled = disaggregated(prefill=1, autoScalingSpec={"prefillAutoScaling": {"maxReplicaCount": 4}})
    it = await operated(pdSpec=scaled)
    owners = {one.pool: one.owner for one in (await it.scaler.look()).workloads}
    assert owners[Pool.DECODE] is None
    claim = owners[Pool.PREFILL]
    assert claim is not None
    assert claim.name == f"spec.pdSpec.autoScalingSpec.prefillAutoScaling of InferenceEndpointConfig {NAMESPACE}/llama"


async def test_what_somebody_changed_meanwhile_is_not_overwritten_and_told() -> None:
    it = await operated()
    await it.scaler.look()
    await it.edit({"pdSpec": {"prefillSpec": {"replicas": 5}}})
    with pytest.raises(ScalerError, match="was scaled from 1 to 5 meanwhile"):
        await it.scaler.grow(MODEL, Pool.PREFILL, 1)
    seen = next(one for one in (await it.scaler.look()).workloads if one.pool is Pool.PREFILL)
    assert (seen.replicas, seen.set_by) == (5, "kubectl")


async def test_what_the_server_refuses_names_the_field() -> None:
    it = await operated(definition=crd())
    with pytest.raises(ScalerError, match=r"does not take it: 422 .*spec\.pdSpec\.prefillSpec\.replicas"):
        await it.scaler.grow(MODEL, Pool.PREFILL, -1)


async def test_an_endpoint_without_roles_is_one_pool_by_the_pods_that_its_status_selects() -> None:
    it = await operated(ALONE, replicas=2)
    assert len(await engines(it, Pool.DECODE)) == 2
    await it.scaler.grow(MODEL, Pool.DECODE, 1)
    await it.settle()
    assert (len(await engines(it, Pool.DECODE)), (await it.document())["spec"]["replicas"]) == (3, 3)


async def test_an_endpoint_that_is_not_as_configured_is_told() -> None:
    it = await operated()
    await it.edit({"pdSpec": None})
    with pytest.raises(ScalerError, match="has no pdSpec: set disaggregated of smollm2 to false in 'hyperpod:'"):
        await it.scaler.look()


def test_the_section_names_an_endpoint_for_each_model() -> None:
    section = {"endpoints": {"a": {"name": "llama"}, "b": {"name": "other", "namespace": "team", "disaggregated": False}}}
    assert endpoint_map(section, "own") == (Endpoint("a", "own", "llama"), Endpoint("b", "team", "other", disaggregated=False))
    assert [(one.pool, one.name) for one in OWN.workloads()] == [(Pool.PREFILL, "prefill-llama"), (Pool.DECODE, "decode-llama")]


@pytest.mark.parametrize(
    "section",
    [
        None,
        {},
        {"endpoints": {"a": {}}},
        {"endpoints": {"a": {"name": "A_"}}},
        {"endpoints": {"a": {"name": "x"}, "b": {"name": "x"}}},
    ],
)
def test_what_is_no_section_is_refused(section: object) -> None:
    with pytest.raises(PoolMapError, match="'hyperpod:':"):
        endpoint_map(section, "own")
