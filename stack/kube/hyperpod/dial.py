"""Replicas of an endpoint's pools, read and set in its InferenceEndpointConfig. Unverified against the operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx
import msgspec

from stack.control.machinery import Limit, PoolOwner
from stack.control.ports import ScalerError
from stack.kube.api import KubeError, get_object, merge
from stack.kube.dial import Dialled, check_unmoved
from stack.kube.hyperpod.documented import DECODERS_MAX, ONE_DECODER, UNVERIFIED
from stack.kube.hyperpod.endpoint_map import Endpoint
from stack.kube.hyperpod.endpoints import endpoint, path
from stack.kube.hyperpod.reading import Reading, ResourceError, read
from stack.kube.hyperpod.resource import KIND
from stack.kube.operator import LabelSelector
from stack.kube.pool_map import PoolWorkload
from stack.kube.workloads import Managed, ManagedMetadata, WorkloadObject, WorkloadSpec
from stack.model.tier import Pool

HAND_OVER = f"start control with --hyperpod-live-patching, which is {UNVERIFIED}"
_INVALID, _MISSING = 422, 404
_SCALED_BY = {
    Pool.PREFILL: "spec.pdSpec.autoScalingSpec.prefillAutoScaling",
    Pool.DECODE: "spec.pdSpec.autoScalingSpec.decodingAutoScaling",
}


class EndpointDial:
    """`stack.kube.dial.Dial` over the InferenceEndpointConfigs of `endpoints`; it sets nothing unless `live`.

    The operator's Deployments tell which pods are whose; what they are told to run is the operator's business.
    """

    def __init__(self, endpoints: Sequence[Endpoint], *, live: bool, most_decoders: int = DECODERS_MAX) -> None:
        self._endpoints = {where: one for one in endpoints for where in one.workloads()}
        self._live, self._most_decoders = live, most_decoders

    async def read(self, http: httpx.AsyncClient, where: PoolWorkload) -> Dialled:
        own = self._endpoints[where]
        reading = await self._reading(http, own)
        metadata = msgspec.structs.replace(managed(reading, own.replicas_path(where.pool)), name=where.name)
        selector = await _selector(http, where, own, reading)
        found = WorkloadObject(metadata, WorkloadSpec(replicas=_replicas(reading, where.pool), selector=selector))
        return Dialled(found, self._claim(reading, where, own), self._limit(where, own), None if own.disaggregated else KIND)

    async def turn(self, http: httpx.AsyncClient, where: PoolWorkload, before: int, after: int) -> None:
        own = self._endpoints[where]
        if (limit := self._limit(where, own)) is not None and limit.most < after > before:
            raise ScalerError(f"{after} is more than {limit.most}: {limit.reason}")
        reading = await self._reading(http, own)
        if (claim := self._claim(reading, where, own)) is not None:
            raise ScalerError(f"{claim.kind} {claim.name} sets the replicas of {where.words}: {claim.hand_over}")
        check_unmoved(where, before, _replicas(reading, where.pool))
        patch: dict[str, Any] = {"metadata": {"resourceVersion": reading.resource.metadata.get("resourceVersion")}}
        patch |= nested(own.replicas_path(where.pool), after)
        try:
            await merge(http, path(own.namespace, own.name), patch)
        except KubeError as error:
            if error.status == _INVALID:
                raise ScalerError(f"{own.words} does not take it: {error}") from error
            raise

    def _claim(self, reading: Reading, where: PoolWorkload, own: Endpoint) -> PoolOwner | None:
        if not self._live:
            return PoolOwner(KIND, own.name, HAND_OVER)
        scaled_by = _SCALED_BY[where.pool] if own.disaggregated else "spec.autoScalingSpec"
        if reading.says(scaled_by):
            return PoolOwner("KEDA by", f"{scaled_by} of {own.words}", f"remove {scaled_by}, or steer its bounds")
        return None

    def _limit(self, where: PoolWorkload, own: Endpoint) -> Limit | None:
        return Limit(self._most_decoders, ONE_DECODER) if own.disaggregated and where.pool is Pool.DECODE else None

    async def _reading(self, http: httpx.AsyncClient, own: Endpoint) -> Reading:
        """Raises ScalerError where it is not what the configuration says."""
        try:
            reading = read(await endpoint(http, own.namespace, own.name))
        except ResourceError as error:
            raise ScalerError(f"{own.words} is not understood: {error}") from error
        if own.disaggregated is (reading.resource.known_spec.pd_spec is None):
            said, is_so = ("has no pdSpec", "false") if own.disaggregated else ("has a pdSpec", "true")
            raise ScalerError(f"{own.words} {said}: set disaggregated of {own.model} to {is_so} in 'hyperpod:'")
        return reading


def nested(keys: Sequence[str], value: object) -> dict[str, Any]:
    """A patch that sets one field."""
    return {keys[0]: value if len(keys) == 1 else nested(keys[1:], value)}


def _replicas(reading: Reading, pool: Pool) -> int:
    spec = reading.resource.known_spec
    if spec.pd_spec is None:
        return spec.replicas
    return (spec.pd_spec.prefill_spec if pool is Pool.PREFILL else spec.pd_spec.decoding_spec).replicas


async def _selector(http: httpx.AsyncClient, where: PoolWorkload, own: Endpoint, reading: Reading) -> LabelSelector:
    """Of the operator's Deployment; of an endpoint without roles what its status says for /scale."""
    if not own.disaggregated:
        return _parsed(own, str((reading.resource.status or {}).get("selector") or ""))
    try:
        return (await get_object(http, where.path, WorkloadObject)).spec.selector
    except KubeError as error:
        if error.status == _MISSING:
            raise ScalerError(f"the operator has made no {where.words} for {own.words} yet") from error
        raise


def _parsed(own: Endpoint, selector: str) -> LabelSelector:
    pairs = [pair.partition("=") for pair in selector.split(",")]
    if not all(name and equals and value and not value.startswith("=") for name, equals, value in pairs):
        raise ScalerError(f"the status of {own.words} does not say which pods are its own (selector {selector!r})")
    return LabelSelector({name: value for name, _, value in pairs})


def managed(reading: Reading, keys: Sequence[str]) -> ManagedMetadata:
    """The endpoint's metadata, whose managedFields say of the field at `keys` what a workload's say of its replicas."""
    metadata = msgspec.convert(reading.resource.metadata, ManagedMetadata)
    return msgspec.structs.replace(metadata, managed_fields=[_about(entry, keys) for entry in metadata.managed_fields])


def _about(entry: Managed, keys: Sequence[str]) -> Managed:
    fields: Any = entry.fields
    for key in keys:
        fields = fields.get(f"f:{key}") if isinstance(fields, dict) else None
    return msgspec.structs.replace(entry, fields={} if fields is None else {"f:spec": {"f:replicas": {}}})
