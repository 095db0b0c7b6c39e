"""Pools whose size is somebody else's to set, or was set by somebody else: left as they are, and the reason said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stack.control.leaving import present
from stack.control.machinery import NOBODY, PoolOwner, Workload
from stack.control.members import Member
from stack.control.refusal import RefusedError
from stack.control.state import Desired
from stack.model.tier import Pool

Place = tuple[str, Pool]  # a model, and one of its pools


@dataclass(frozen=True, slots=True)
class Watched:
    """A pool as it was at the last look: what its workload was told, what was desired, and why it is left alone, if it is."""

    replicas: int
    wanted: int
    hold: str | None = None


def watched(before: Mapping[Place, Watched], workloads: Sequence[Workload], desired: Desired) -> dict[Place, Watched]:
    """Every pool with a workload after another look.

    A size that another hand set while the desired one stayed is kept until the desired one changes: nobody's scaling is
    undone without a word. At the first look what is desired counts.
    """
    served = [workload for workload in workloads if workload.model in desired.models]
    wanted = {(one.model, one.pool): desired.models[one.model].pools.of(one.pool).replicas for one in served}
    return {(one.model, one.pool): _watched(before.get((one.model, one.pool)), one, wanted[one.model, one.pool]) for one in served}


def check_owners(before: Desired, after: Desired, workloads: Sequence[Workload]) -> None:
    """Raises RefusedError where a pool's replicas change that are not kvdeck's to change, or grow beyond what it can have.

    What the owner has set may be desired: then nothing is scaled, and nothing differs any more.
    """
    for workload in workloads:
        if workload.model not in after.models:
            continue
        field = f"models.{workload.model}.pools.{workload.pool}.replicas"
        old, new = (state.models[workload.model].pools.of(workload.pool).replicas for state in (before, after))
        if workload.owner is not None and new not in (old, workload.replicas):
            raise RefusedError(field, owned(workload.name, workload.owner))
        if new > old and workload.limit is not None and new > workload.limit.most:
            raise RefusedError(field, f"{new} is more than {workload.limit.most}: {workload.limit.reason}")


def check_listed(before: Desired, after: Desired, members: Sequence[Member]) -> None:
    """Where nothing scales pools, raises RefusedError if replicas change to another number than that of the engines listed."""
    for model, state in after.models.items():
        for pool in Pool:
            old, new = before.models[model].pools.of(pool).replicas, state.pools.of(pool).replicas
            listed = len(present(members, model, pool))
            if new not in (old, listed):
                raise RefusedError(
                    f"models.{model}.pools.{pool}.replicas",
                    f"{new} is not what the target file (--targets) lists, {listed}: {NOBODY}",
                )


def owned(workload: str, owner: PoolOwner) -> str:
    """Why an owned pool is not scaled."""
    return f"{owner.kind} {owner.name} sets the replicas of {workload}; for kvdeck to set them {owner.hand_over}"


def drifting(watching: Mapping[Place, Watched]) -> Iterator[tuple[str, str]]:
    """Field and reason of every pool that is left at another size than desired."""
    for (model, pool), one in watching.items():
        if one.hold is not None and one.replicas != one.wanted:
            yield f"models.{model}.pools.{pool}.replicas", one.hold


def _watched(before: Watched | None, workload: Workload, wanted: int) -> Watched:
    if workload.owner is not None:
        return Watched(workload.replicas, wanted, owned(workload.name, workload.owner))
    settled = workload.replicas == wanted or before is None or before.wanted != wanted
    if settled or before is None or workload.set_by is None:
        return Watched(workload.replicas, wanted)
    if before.hold is None and workload.replicas == before.replicas:
        return Watched(workload.replicas, wanted)
    changed = (
        f"{workload.set_by} scaled {workload.name} to {workload.replicas}, which is left so: "
        f"desire {workload.replicas} to keep it, or scale it back to {wanted}"
    )
    return Watched(workload.replicas, wanted, changed)
