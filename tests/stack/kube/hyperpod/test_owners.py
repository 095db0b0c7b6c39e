"""Who else scales an endpoint is found by what it names."""

from __future__ import annotations

import pytest

from stack.control.machinery import PoolOwner
from stack.kube.hyperpod.endpoint_map import Endpoint
from stack.model.tier import Pool
from tests.stack.control.scaler_conformance import MODEL
from tests.stack.kube.hands import told
from tests.stack.kube.hyperpod.operator import OWN, operated
from tests.stack.kube.hyperpod.samples import disaggregated
from tests.stack.kube.servers import NAMESPACE

AUTOSCALERS = f"/apis/autoscaling/v1/namespaces/{NAMESPACE}/horizontalpodautoscalers"
ALONE = Endpoint(MODEL, NAMESPACE, "llama", disaggregated=False)


@pytest.mark.parametrize(
    ("own", "target"),
    [(ALONE, ("InferenceEndpointConfig", "llama")), (OWN, ("Deployment", "decode-llama"))],
    ids=["by the endpoint itself", "by the operator's Deployment"],
)
async def test_an_autoscaler_is_found(own: Endpoint, target: tuple[str, str]) -> None:
    it = await operated(own, **({"pdSpec": disaggregated(prefill=1)} if own.disaggregated else {"replicas": 2}))
    reference = {"kind": target[0], "name": target[1], "apiVersion": "v1"}
    document = {"metadata": {"name": "busy"}, "spec": {"scaleTargetRef": reference, "maxReplicas": 4}}
    told(await it.hands.http.post(AUTOSCALERS, json=document), 201)
    it.clock.advance(60)
    owners = {one.pool: one.owner for one in (await it.scaler.look()).workloads}
    claim = owners[Pool.DECODE]
    assert isinstance(claim, PoolOwner)
    assert (claim.kind, claim.name) == ("HorizontalPodAutoscaler", "busy")
    assert owners.get(Pool.PREFILL) is None
