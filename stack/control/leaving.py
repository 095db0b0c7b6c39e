"""Which engines go when a pool shrinks: the same answer for the preview and for the deed."""

from __future__ import annotations

from collections.abc import Sequence

from stack.control.members import Member
from stack.fleet.engine import State
from stack.model.tier import Pool


def present(members: Sequence[Member], model: str, pool: Pool) -> tuple[Member, ...]:
    """The engines that count towards a pool's replicas: all but the draining ones and those that end already."""
    here = (member for member in members if (member.model, member.pool) == (model, pool))
    return tuple(member for member in here if member.state is not State.DRAINING and not member.ending)


def draining(members: Sequence[Member], model: str, pool: Pool) -> tuple[Member, ...]:
    """The engines of a pool that are on their way out."""
    return tuple(m for m in members if (m.model, m.pool) == (model, pool) and m.state is State.DRAINING)


def leavers(pool: Sequence[Member], replicas: int) -> tuple[Member, ...]:
    """Those that go so that `replicas` stay: engines that serve nothing first, then the highest numbers.

    So a ready engine stays as long as any engine does, unless the machinery goes by turns of its own.
    """
    ranked = sorted(pool, key=lambda member: (member.turn, member.state is State.READY, _descending(member)))
    return tuple(ranked[: max(0, len(pool) - replicas)])


def _descending(member: Member) -> int:
    return -member.ordinal[0]
