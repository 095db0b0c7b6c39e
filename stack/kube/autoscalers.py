"""What scales workloads by itself: HorizontalPodAutoscalers, and KEDA's ScaledObjects, which make some.

https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v1/
https://keda.sh/docs/latest/reference/scaledobject-spec/
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from urllib.parse import quote

import httpx
import msgspec

from stack.kube.api import KubeError, list_objects
from stack.kube.objects import Metadata

_HPA = "/apis/autoscaling/v1/namespaces/{}/horizontalpodautoscalers"
_SCALED = "/apis/keda.sh/v1alpha1/namespaces/{}/scaledobjects"
_NOT_THERE = frozenset({404})
_UNSEEN = frozenset({403, 404})  # KEDA is not there, or not ours to see: what it scales has an autoscaler with its label then
_PAUSED = ("autoscaling.keda.sh/paused", "autoscaling.keda.sh/paused-replicas")


class TargetReference(msgspec.Struct, frozen=True):
    """What is scaled; a ScaledObject that names no kind means a Deployment."""

    name: str = ""
    kind: str = "Deployment"


class _Spec(msgspec.Struct, frozen=True, rename="camel"):
    scale_target_ref: TargetReference = TargetReference()


class Autoscaler(msgspec.Struct, frozen=True):
    """A HorizontalPodAutoscaler or a ScaledObject."""

    metadata: Metadata
    spec: _Spec = _Spec()

    @property
    def paused(self) -> bool:
        """Whether KEDA was told to leave the workload alone."""
        return any(self.metadata.annotations.get(name, "false") != "false" for name in _PAUSED)

    def scales(self, kind: str, name: str) -> bool:
        """Whether this is what it scales."""
        return self.spec.scale_target_ref == TargetReference(name, kind)


class Autoscalers(msgspec.Struct, frozen=True):
    """Those of one namespace."""

    horizontal: Sequence[Autoscaler] = ()
    scaled: Sequence[Autoscaler] = ()


async def autoscalers(http: httpx.AsyncClient, namespace: str) -> Autoscalers:
    """All of a namespace; who may not see its HorizontalPodAutoscalers does not know. Raises KubeError, httpx.HTTPError."""
    where = quote(namespace, safe="")
    horizontal, scaled = await asyncio.gather(
        _listed(http, _HPA.format(where), _NOT_THERE), _listed(http, _SCALED.format(where), _UNSEEN)
    )
    return Autoscalers(horizontal, scaled)


async def _listed(http: httpx.AsyncClient, path: str, none: frozenset[int]) -> list[Autoscaler]:
    try:
        return (await list_objects(http, path, Autoscaler))[0]
    except KubeError as error:
        if error.status not in none:
            raise
        return []
