"""What runs the pools, as the API shows it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from stack.control.holds import Place, Watched
from stack.control.machinery import PoolOwner, Workload
from stack.model.tier import Pool


class OwnerView(msgspec.Struct, frozen=True, kw_only=True):
    """Who else sets a pool's replicas; `hand_over` says what to change so that kvdeck may."""

    kind: str
    name: str
    hand_over: str


class PoolView(msgspec.Struct, frozen=True, kw_only=True):
    """What runs a pool where that is more than its engines, such as a Deployment, and how many engines it is told to run.

    `set_by` is who told it last, null when that was kvdeck or nobody knows; `hold` is why kvdeck leaves the pool as it is.
    """

    model: str
    pool: Pool
    workload: str
    replicas: int
    set_by: str | None = None
    owner: OwnerView | None = None
    hold: str | None = None


def pool_view(workload: Workload, watching: Mapping[Place, Watched]) -> PoolView:
    """One pool's workload, and why it is left alone where it is."""
    watched = watching.get((workload.model, workload.pool))
    return PoolView(
        model=workload.model,
        pool=workload.pool,
        workload=workload.name,
        replicas=workload.replicas,
        set_by=workload.set_by,
        owner=None if workload.owner is None else _owner(workload.owner),
        hold=None if watched is None else watched.hold,
    )


def _owner(owner: PoolOwner) -> OwnerView:
    return OwnerView(kind=owner.kind, name=owner.name, hand_over=owner.hand_over)
