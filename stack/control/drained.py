"""Engines that an operator took out of rotation: they get no new requests, stay, and count among their pool's replicas."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import msgspec

from stack.control.audit import AuditRecord
from stack.control.leaving import leavers, present
from stack.control.members import Member
from stack.control.refusal import RefusedError
from stack.control.state import Desired, ModelState
from stack.fleet.engine import State
from stack.model.tier import Pool


@dataclass(frozen=True, slots=True)
class DrainEngines:
    """`engines` get no new requests and stay. `alone`: no prefill engine is left for prompts that would be disaggregated."""

    kind: ClassVar[str] = "drain_engines"
    model: str
    pool: Pool
    engines: tuple[str, ...]
    alone: bool = False

    @property
    def sentence(self) -> str:
        said = f"Out of rotation: {', '.join(self.engines)}. No new requests; those in flight finish, and nothing is ended."
        return f"{said} No prefill engine is left: long prompts go straight to a decode engine." if self.alone else said


@dataclass(frozen=True, slots=True)
class ReturnEngines:
    """`engines` get requests again."""

    kind: ClassVar[str] = "return_engines"
    model: str
    pool: Pool
    engines: tuple[str, ...]

    @property
    def sentence(self) -> str:
        return f"Back in rotation: {', '.join(self.engines)}."


@dataclass(frozen=True, slots=True)
class ForgetDrained:
    """`engines` were out of rotation in the generation that is gone back to; there are none of these names any more."""

    kind: ClassVar[str] = "forget_drained"
    model: str
    pool: Pool
    engines: tuple[str, ...]

    @property
    def sentence(self) -> str:
        return f"Out of rotation then, and left out, for there is no such {self.pool} engine now: {', '.join(self.engines)}."


@dataclass(frozen=True, slots=True)
class Drainer:
    """Who took an engine out of rotation, and when (Unix seconds)."""

    actor: str
    since: float


def drained(desired: Desired) -> frozenset[str]:
    """Every engine that is to be out of rotation."""
    return frozenset(name for state in desired.models.values() for pool in Pool for name in state.pools.of(pool).drained)


def turned(members: Sequence[Member], names: Collection[str]) -> tuple[Member, ...]:
    """`members` with exactly `names` out of rotation. One that is not ready is told as what it is: that is worse."""
    return tuple(_turned(member, member.name in names) for member in members)


def _turned(member: Member, out: bool) -> Member:
    if out and member.state is State.READY:
        return replace(member, state=State.DRAINED)
    return replace(member, state=State.READY) if not out and member.state is State.DRAINED else member


def without_gone(before: Desired, after: Desired, members: Sequence[Member]) -> tuple[Desired, tuple[ForgetDrained, ...]]:
    """`after`, which is of long ago, without the names that no engine has now, but for those that are in force as it is."""
    models, forgotten = dict(after.models), []
    for model, state in after.models.items():
        pools = state.pools
        for pool in Pool:
            own, there = pools.of(pool), {member.name for member in members if (member.model, member.pool) == (model, pool)}
            there.update(before.models[model].pools.of(pool).drained)
            if gone := tuple(name for name in own.drained if name not in there):
                forgotten.append(ForgetDrained(model, pool, gone))
                left = tuple(name for name in own.drained if name in there)
                pools = msgspec.structs.replace(pools, **{pool.value: msgspec.structs.replace(own, drained=left)})
        models[model] = msgspec.structs.replace(state, pools=pools)
    return msgspec.structs.replace(after, models=models), tuple(forgotten)


def draining_effects(
    model: str, before: ModelState, after: ModelState, members: Sequence[Member]
) -> Iterator[DrainEngines | ReturnEngines]:
    """What a change of `drained` does to `members`, which are as they are after it. Raises RefusedError."""
    for pool in Pool:
        old, new = before.pools.of(pool).drained, after.pools.of(pool).drained
        added = tuple(name for name in new if name not in old)
        back = tuple(name for name in old if name not in new)
        if added:
            field = f"models.{model}.pools.{pool}.drained"
            _check_there(field, added, members, model, pool)
            left = _serving(members, model, pool, after)
            if pool is Pool.DECODE and not left:
                none = f"0 of {len(present(members, model, pool))} decode engines would be ready"
                raise RefusedError(field, f"with {', '.join(added)} out of rotation {none}: keep one, or add one first")
            yield DrainEngines(model, pool, added, alone=not left and after.dpd.enabled)
        if back:
            yield ReturnEngines(model, pool, back)


def _check_there(field: str, names: Sequence[str], members: Sequence[Member], model: str, pool: Pool) -> None:
    there = [member.name for member in members if (member.model, member.pool) == (model, pool)]
    unknown = [name for name in names if name not in there]
    if unknown:
        raise RefusedError(field, f"no {pool} engine {unknown[0]!r}; there are: {', '.join(there) or 'none'}")


def _serving(members: Sequence[Member], model: str, pool: Pool, after: ModelState) -> tuple[Member, ...]:
    here = present(members, model, pool)
    gone = leavers(here, after.pools.of(pool).replicas)
    return tuple(member for member in here if member.state is State.READY and member not in gone)


def missing(desired: Desired, members: Sequence[Member]) -> dict[str, str]:
    """Field -> reason, where a name is to be out of rotation that no engine has (any more)."""
    reasons = {}
    for model, state in desired.models.items():
        for pool in Pool:
            if not (wanted := state.pools.of(pool).drained):
                continue
            there = {member.name for member in members if (member.model, member.pool) == (model, pool)}
            if lost := [name for name in wanted if name not in there]:
                reasons[f"models.{model}.pools.{pool}.drained"] = f"no such engine: {', '.join(lost)}"
    return reasons


def drainers(names: Collection[str], records: Sequence[AuditRecord]) -> Mapping[str, Drainer]:
    """Who drained each of `names` last, as far as `records`, newest first, go back."""
    found: dict[str, Drainer] = {}
    for record in records:
        for change in record.diff:
            if change.field.endswith(".drained"):
                before, after = str(change.before or "").split(", "), str(change.after or "").split(", ")
                for name in names:
                    if name in after and name not in before:
                        found.setdefault(name, Drainer(record.actor, record.at))
    return found
