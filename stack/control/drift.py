"""Where a pool is not as desired, in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from stack.control.drained import missing
from stack.control.leaving import draining, present
from stack.control.machinery import NOBODY, UNKNOWN, Machinery
from stack.control.members import Member
from stack.control.scaling import awaited
from stack.control.state import Desired
from stack.fleet.engine import State
from stack.model.tier import Pool

NAMED = 4  # engines of a pool; the list of engines has them all


def drift(desired: Desired, members: Sequence[Member], machinery: Machinery = UNKNOWN) -> dict[str, str]:
    """Field -> reason, for every pool that does not have as many ready engines as desired, or has some still leaving.

    An engine that an operator took out of rotation is as desired.
    """
    served: defaultdict[str, list[Member]] = defaultdict(list)
    for member in members:  # once, and not for each pool: there may be a thousand
        served[member.model].append(member)
    return missing(desired, members) | {
        f"models.{model}.pools.{pool}.replicas": reason
        for model, wanted in desired.models.items()
        for pool, state in ((Pool.PREFILL, wanted.pools.prefill), (Pool.DECODE, wanted.pools.decode))
        for reason in _reason(
            state.replicas,
            present(served[model], model, pool),
            draining(served[model], model, pool),
            awaited(served[model], model, pool, wanted.pools, machinery),
            machinery.scales,
        )
    }


def _reason(
    replicas: int, here: Sequence[Member], leaving: Sequence[Member], awaited: Sequence[Member], scales: bool
) -> Iterator[str]:
    ready = sum(member.state is State.READY for member in here)
    out = sum(member.state is State.DRAINED for member in here)
    if ready + out == replicas and not leaving and len(here) == replicas:
        return
    parts = [f"{ready} of {replicas} ready"]
    parts += _first([f"{member.name} is {member.state}" for member in here if member.state is not State.READY])
    parts += _first([f"{member.name} is draining{_left(member)}" for member in leaving])
    if awaited and len(here) < replicas:
        parts.append(f"the next starts when {awaited[0].name} has ended")
    if not scales and len(here) != replicas:
        parts.append(f"{len(here)} listed; {NOBODY}")
    yield "; ".join(parts)


def _first(each: Sequence[str]) -> Iterator[str]:
    """A pool of dozens is told in a line."""
    yield from each[:NAMED]
    if len(each) > NAMED:
        yield f"and {len(each) - NAMED} more"


def _left(member: Member) -> str:
    return ", in flight unknown" if member.in_flight is None else f", {member.in_flight} in flight"
