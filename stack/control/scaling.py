"""What a change of pool sizes does to engines, as values that explain themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from stack.control.leaving import draining, leavers, present
from stack.control.machinery import Machinery
from stack.control.members import Member
from stack.control.refusal import RefusedError
from stack.control.room import shortage
from stack.control.state import Pools
from stack.model.tier import Pool


@dataclass(frozen=True, slots=True)
class GrowPool:
    """`pool` gains `by` engines; `engines` were leaving and stay instead of being started anew.

    `there` run already, beyond what was desired until now: somebody else scaled the pool.
    """

    kind: ClassVar[str] = "grow_pool"
    model: str
    pool: Pool
    by: int
    engines: tuple[str, ...] = ()
    there: int = 0

    @property
    def starting(self) -> int:
        """How many are started anew."""
        return self.by - len(self.engines) - self.there

    @property
    def sentence(self) -> str:
        parts = [f"Already there and kept: {self.there} {self.pool} engine{'s' if self.there > 1 else ''}."] if self.there else []
        parts += [f"Stops draining and serves on: {', '.join(self.engines)}."] if self.engines else []
        if self.starting:
            parts.append(f"To start: {self.starting} more {self.pool} engine{'s' if self.starting > 1 else ''}, used once ready.")
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class ShrinkPool:
    """`pool` loses `by` engines: `engines` finish what they have and end. Fewer may run than are desired."""

    kind: ClassVar[str] = "shrink_pool"
    model: str
    pool: Pool
    by: int
    engines: tuple[str, ...]

    @property
    def sentence(self) -> str:
        if not self.engines:
            return f"No {self.pool} engine has to end: no more than that run now."
        return f"To drain and end: {', '.join(self.engines)}. No new requests; those in flight finish first."


@dataclass(frozen=True, slots=True)
class ChangeRole:
    """`engines` of `pool` make room for as many of `to`: on this machinery one ends before the other starts."""

    kind: ClassVar[str] = "change_role"
    model: str
    pool: Pool
    to: Pool
    engines: tuple[str, ...]

    @property
    def sentence(self) -> str:
        names = ", ".join(self.engines)
        if len(self.engines) == 1:
            return f"{names} is drained, ended and started again as a {self.to} engine; its KV in the engine is lost."
        return f"{names} are drained, ended and started again as {self.to} engines, one at a time; their KV in the engine is lost."


def scaling(
    model: str, before: Pools, after: Pools, members: Sequence[Member], machinery: Machinery
) -> Iterator[GrowPool | ShrinkPool | ChangeRole]:
    """Who starts, ends, stays after all, or changes its role, when `model` goes from `before` to `after`."""
    going = {pool: _going(model, pool, before, after, members) for pool in Pool}
    grown = {pool: _grown(model, pool, before, after, members) for pool in Pool}
    for pool in Pool:
        to = next(other for other in Pool if other is not pool)
        gone, come = going[pool], grown[to]
        if machinery.changes_roles and gone is not None and gone.engines and come is not None and come.starting:
            turning = gone.engines[: come.starting]
            going[pool] = _less(gone, turning)
            grown[to] = GrowPool(model, to, come.by - len(turning), come.engines, come.there) if come.by > len(turning) else None
            yield ChangeRole(model, pool, to, turning)
    for pool in Pool:
        yield from (effect for effect in (grown[pool], going[pool]) if effect is not None)


def check_room(model: str, before: Pools, after: Pools, members: Sequence[Member], machinery: Machinery) -> None:
    """Refuse to grow a pool for which the machine has no room, all given back that the same change ends. Raises RefusedError."""
    more = {pool: after.of(pool).replicas - _there(members, model, pool) for pool in Pool}
    for pool, room in machinery.rooms.items():
        if more[pool] > 0 and after.of(pool).replicas > before.of(pool).replicas:
            others = sum(other.needs.memory_bytes * -more[name] for name, other in machinery.rooms.items() if name is not pool)
            if lacking := shortage(pool, more[pool], room, others):
                raise RefusedError(f"models.{model}.pools.{pool}.replicas", lacking)


def _there(members: Sequence[Member], model: str, pool: Pool) -> int:
    """Engines that take room: those that leave as well, until they are gone."""
    return sum((member.model, member.pool) == (model, pool) for member in members)


def awaited(members: Sequence[Member], model: str, pool: Pool, wanted: Pools, machinery: Machinery) -> tuple[Member, ...]:
    """Engines whose place is to be taken by one that `pool` lacks: those that leave the other pool, until they are gone."""
    if not machinery.changes_roles:
        return ()
    other = next(one for one in Pool if one is not pool)
    return (*draining(members, model, other), *leavers(present(members, model, other), wanted.of(other).replicas))


def _grown(model: str, pool: Pool, before: Pools, after: Pools, members: Sequence[Member]) -> GrowPool | None:
    wanted, by = after.of(pool).replicas, after.of(pool).replicas - before.of(pool).replicas
    if by <= 0:
        return None
    here = len(present(members, model, pool))
    back = draining(members, model, pool)[: max(0, wanted - here)]
    there = min(by, max(0, here - before.of(pool).replicas))
    return GrowPool(model, pool, by, tuple(member.name for member in back[:by]), there)


def _going(model: str, pool: Pool, before: Pools, after: Pools, members: Sequence[Member]) -> ShrinkPool | None:
    wanted, by = after.of(pool).replicas, before.of(pool).replicas - after.of(pool).replicas
    if by <= 0:
        return None
    return ShrinkPool(model, pool, by, tuple(member.name for member in leavers(present(members, model, pool), wanted)))


def _less(gone: ShrinkPool, turning: tuple[str, ...]) -> ShrinkPool | None:
    rest = gone.engines[len(turning) :]
    return ShrinkPool(gone.model, gone.pool, gone.by - len(turning), rest) if rest else None
