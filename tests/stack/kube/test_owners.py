"""Who else sets a pool's replicas is found in what the API server says of its workload, and respected."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stack.control.machinery import Workload
from stack.model.tier import Pool
from tests.stack.kube.cluster import DEPLOYMENT, Cluster, cluster
from tests.stack.kube.hands import MERGE, told
from tests.stack.kube.servers import NAMESPACE

pytestmark = pytest.mark.usefixtures("api_server")
HPAS = f"/apis/autoscaling/v1/namespaces/{NAMESPACE}/horizontalpodautoscalers"
APPLY = {"content-type": "application/apply-patch+yaml"}
SCALED_OBJECTS: dict[str, Any] = {
    "metadata": {"name": "scaledobjects.keda.sh"},
    "spec": {
        "group": "keda.sh",
        "scope": "Namespaced",
        "names": {"plural": "scaledobjects", "singular": "scaledobject", "kind": "ScaledObject"},
        "versions": [
            {
                "name": "v1alpha1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}
HELM = {"labels": {"app.kubernetes.io/managed-by": "Helm"}, "annotations": {"meta.helm.sh/release-name": "fleet"}}
ARGO = {"annotations": {"argocd.argoproj.io/tracking-id": "fleet:apps/Deployment:serving/decode"}}
KUSTOMIZE = {"labels": {"kustomize.toolkit.fluxcd.io/name": "fleet", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}}
HELM_RELEASE = {"labels": {**HELM["labels"], "helm.toolkit.fluxcd.io/name": "fleet"}, "annotations": HELM["annotations"]}


async def workload(it: Cluster) -> Workload:
    it.clock.advance(60)
    return (await it.scaler.look()).workloads[1]


async def owner(it: Cluster) -> tuple[str, str] | None:
    found = (await workload(it)).owner
    return None if found is None else (found.kind, found.name)


async def mark(it: Cluster, metadata: dict[str, Any], manager: str = "kubectl") -> None:
    path, asked = it.hands.workload("deployments", "decode"), {"fieldManager": manager}
    told(await it.hands.http.patch(path, json={"metadata": metadata}, params=asked, headers=MERGE))


async def scaler_of(it: Cluster, path: str, name: str, **more: Any) -> str:
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "decode"}
    document = {"metadata": {"name": name, **more}, "spec": {"scaleTargetRef": reference, "maxReplicas": 3}}
    group = path.partition("/namespaces")[0].removeprefix("/apis/")
    kind = "ScaledObject" if "keda" in group else "HorizontalPodAutoscaler"
    told(await it.hands.http.post(path, json={"apiVersion": group, "kind": kind, **document}), 201)
    return f"{path}/{name}"


async def test_nobody_owns_what_was_made_by_hand() -> None:
    found = await workload(await cluster(DEPLOYMENT))
    assert (found.name, found.replicas, found.set_by, found.owner) == ("Deployment decode", 2, "hands", None)


async def test_who_scaled_last_is_told_and_kvdeck_is_not_another() -> None:
    it = await cluster(DEPLOYMENT)
    await it.hands.scale("deployments", "decode", 3, "somebody")
    assert (await workload(it)).set_by == "somebody"
    await it.scaler.grow("smollm2", Pool.DECODE, 1)
    assert (await workload(it)).set_by is None


async def test_an_autoscaler_owns_what_it_scales_until_it_is_gone() -> None:
    it = await cluster(DEPLOYMENT)
    path = await scaler_of(it, HPAS, "decode-hpa")
    assert await owner(it) == ("HorizontalPodAutoscaler", "decode-hpa")
    assert (await it.scaler.look()).workloads[0].owner is None
    told(await it.hands.http.delete(path))
    assert await owner(it) is None


async def test_keda_owns_what_it_scales_unless_it_is_paused() -> None:
    it = await cluster(DEPLOYMENT)
    await it.way.define(SCALED_OBJECTS)
    path = await scaler_of(it, f"/apis/keda.sh/v1alpha1/namespaces/{NAMESPACE}/scaledobjects", "decode")
    assert await owner(it) == ("KEDA ScaledObject", "decode")
    await it.hands.http.patch(path, json={"metadata": {"annotations": {"autoscaling.keda.sh/paused": "true"}}}, headers=MERGE)
    assert await owner(it) is None


async def test_the_autoscaler_that_keda_made_is_kedas() -> None:
    it = await cluster(DEPLOYMENT)
    path, labels = HPAS, {"scaledobject.keda.sh/name": "decode"}
    await scaler_of(it, path, "keda-hpa-decode", labels=labels)
    assert await owner(it) == ("KEDA ScaledObject", "decode")


@pytest.mark.parametrize(
    ("metadata", "kind"),
    [
        (HELM, "Helm release"),
        (ARGO, "Argo CD Application"),
        (KUSTOMIZE, "Flux Kustomization"),
        (HELM_RELEASE, "Flux HelmRelease"),
        ({**HELM, **ARGO}, "Argo CD Application"),
    ],
)
async def test_a_tool_that_keeps_the_workload_owns_its_replicas_until_they_are_handed_over(
    metadata: dict[str, Any], kind: str
) -> None:
    it = await cluster(DEPLOYMENT)
    await mark(it, metadata)
    found = await workload(it)
    assert found.owner is not None
    assert (found.owner.kind, found.owner.name) == (kind, "fleet")
    assert "annotate Deployment decode with kvdeck/sets: replicas" in found.owner.hand_over
    await mark(it, {"annotations": {"kvdeck/sets": "replicas"}})
    assert await owner(it) is None


async def apply(it: Cluster, spec: dict[str, Any]) -> None:
    """Server-side, as Flux applies."""
    document = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "decode"}, "spec": spec}
    path, asked = it.hands.workload("deployments", "decode"), {"fieldManager": "kustomize-controller", "force": "true"}
    told(await it.hands.http.patch(path, content=json.dumps(document), params=asked, headers=APPLY))


async def test_a_tool_that_applies_no_replicas_owns_none() -> None:
    it = await cluster(DEPLOYMENT)
    await mark(it, KUSTOMIZE)
    await apply(it, {"paused": True})
    assert await owner(it) is None
    await apply(it, {"replicas": 4})
    assert await owner(it) == ("Flux Kustomization", "fleet")


async def test_what_was_last_applied_without_replicas_leaves_them_open() -> None:
    it = await cluster(DEPLOYMENT)
    await mark(it, ARGO)
    last = "kubectl.kubernetes.io/last-applied-configuration"
    await mark(it, {"annotations": {last: json.dumps({"spec": {"replicas": 2}})}})
    assert await owner(it) == ("Argo CD Application", "fleet")
    await mark(it, {"annotations": {last: json.dumps({"spec": {"template": {}}})}})
    assert await owner(it) is None


async def test_a_tool_that_left_no_mark_is_known_by_the_field_it_sets() -> None:
    it = await cluster(DEPLOYMENT)
    await it.hands.scale("deployments", "decode", 3, "argocd-controller")
    assert await owner(it) == ("Argo CD Application", "decode")
    await it.hands.scale("deployments", "decode", 4, "kubectl")
    assert await owner(it) is None
