"""Which endpoint runs which model: the section `hyperpod:` of control's configuration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from stack.kube.hyperpod.resource import KIND
from stack.kube.pool_map import Name, PoolMapError, PoolWorkload
from stack.kube.workloads import WorkloadKind
from stack.model.tier import Pool


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The InferenceEndpointConfig of one model. Where it is `disaggregated` each role has a Deployment of the operator's."""

    model: str
    namespace: str
    name: str
    disaggregated: bool = True

    @property
    def words(self) -> str:
        """For people."""
        return f"{KIND} {self.namespace}/{self.name}"

    def workloads(self) -> Iterator[PoolWorkload]:
        """A pool for each role, named as the operator's Deployment of it; else one that decodes."""
        pools = {Pool.PREFILL: f"prefill-{self.name}", Pool.DECODE: f"decode-{self.name}"}
        for pool, name in (pools if self.disaggregated else {Pool.DECODE: self.name}).items():
            yield PoolWorkload(self.model, pool, WorkloadKind.DEPLOYMENT, self.namespace, name)

    def replicas_path(self, pool: Pool) -> tuple[str, ...]:
        """Where its replicas are in the document."""
        if not self.disaggregated:
            return ("spec", "replicas")
        return ("spec", "pdSpec", "prefillSpec" if pool is Pool.PREFILL else "decodingSpec", "replicas")


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    namespace: Name | None = None
    disaggregated: bool = True


class _Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    endpoints: dict[str, _Entry]


def endpoint_map(section: object, namespace: str) -> tuple[Endpoint, ...]:
    """The endpoints of a decoded section, those without a namespace in `namespace`. Raises PoolMapError."""
    try:
        decoded = msgspec.convert(section, _Section)
    except msgspec.ValidationError as error:
        raise PoolMapError(f"'hyperpod:': {error}") from error
    found = tuple(
        Endpoint(model, entry.namespace or namespace, entry.name, entry.disaggregated) for model, entry in decoded.endpoints.items()
    )
    if len({(one.namespace, one.name) for one in found}) < len(found):
        raise PoolMapError("'hyperpod:': one endpoint cannot run two models")
    return found
