"""Which workload runs which pool: the section `kubernetes:` of control's configuration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import msgspec

from stack.kube.workloads import WorkloadKind, workload_path
from stack.model.tier import Pool

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$")]


class PoolMapError(ValueError):
    """The section is not what it should be; the message names the field."""


@dataclass(frozen=True, slots=True)
class PoolWorkload:
    """One pool of a model, and what runs it."""

    model: str
    pool: Pool
    kind: WorkloadKind
    namespace: str
    name: str

    @property
    def path(self) -> str:
        return workload_path(self.kind, self.namespace, self.name)

    @property
    def words(self) -> str:
        """For people."""
        return f"{self.kind} {self.name}"


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    kind: WorkloadKind = WorkloadKind.DEPLOYMENT
    namespace: Name | None = None


class _Model(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    decode: _Entry
    prefill: _Entry | None = None


class _Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pools: dict[str, _Model]


def pool_map(section: object, namespace: str) -> tuple[PoolWorkload, ...]:
    """The workloads of a decoded section, those without a namespace in `namespace`. Raises PoolMapError."""
    try:
        decoded = msgspec.convert(section, _Section)
    except msgspec.ValidationError as error:
        raise PoolMapError(f"'kubernetes:': {error}") from error
    found = tuple(_workloads(decoded, namespace))
    if len({one.path for one in found}) < len(found):
        raise PoolMapError("'kubernetes:': one workload cannot run two pools")
    return found


def _workloads(section: _Section, namespace: str) -> Iterator[PoolWorkload]:
    for model, pools in section.pools.items():
        for pool, entry in ((Pool.PREFILL, pools.prefill), (Pool.DECODE, pools.decode)):
            if entry is not None:
                yield PoolWorkload(model, pool, entry.kind, entry.namespace or namespace, entry.name)
