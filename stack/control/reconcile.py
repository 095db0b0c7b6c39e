"""From what is to what is wanted: the next steps, and what stands in the way. A pure function of one look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from stack.control.drain import Drain
from stack.control.holds import Place, Watched
from stack.control.leaving import draining, leavers, present
from stack.control.machinery import UNKNOWN, Machinery
from stack.control.members import Member
from stack.control.scaling import awaited
from stack.control.state import Desired, Pools, PoolState
from stack.fleet.engine import Health, State
from stack.model.tier import Pool


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a leaving engine is waited for, in seconds.

    `drain`: after that it goes although requests are on it, unless its pool says another time. `settle`: how long it must have
    been quiet. A prefill engine settles longer: it holds a prompt's KV for the decode side to fetch (vLLM's lease is
    30 s) after the router's own request to it has ended.
    """

    drain: float = 300.0
    settle: Mapping[Pool, float] = field(default_factory=lambda: {Pool.PREFILL: 30.0, Pool.DECODE: 1.0})


@dataclass(frozen=True, slots=True)
class Start:
    """Start more engines."""

    model: str
    pool: Pool
    by: int = 1


@dataclass(frozen=True, slots=True)
class Mark:
    """Send an engine no new requests."""

    name: str


@dataclass(frozen=True, slots=True)
class Undrain:
    """Let a draining engine serve again."""

    name: str


@dataclass(frozen=True, slots=True)
class Remove:
    """End a drained engine."""

    name: str
    reason: str


Step = Start | Mark | Undrain | Remove


def reconcile(
    desired: Desired,
    members: Sequence[Member],
    drains: Mapping[str, Drain],
    now: float,
    patience: Patience | None = None,
    watching: Mapping[Place, Watched] | None = None,
    machinery: Machinery = UNKNOWN,
) -> tuple[Step, ...]:
    """The steps to take now, pool by pool. Marking costs nothing and is done at once.

    `watching` are the pools that have a workload: it starts all that are missing, elsewhere one engine at a time starts.
    Where engines change roles, one that leaves the other pool is gone before the one that takes its place starts.
    """
    patience, watching = patience or Patience(), watching or {}
    return tuple(
        step
        for model, wanted in desired.models.items()
        for pool in Pool
        for step in _pool(_Look(model, pool, wanted.pools, members, drains, now, patience, watching.get((model, pool)), machinery))
    )


@dataclass(frozen=True, slots=True)
class _Look:
    model: str
    pool: Pool
    pools: Pools
    members: Sequence[Member]
    drains: Mapping[str, Drain]
    now: float
    patience: Patience
    watched: Watched | None
    machinery: Machinery

    @property
    def wanted(self) -> PoolState:
        return self.pools.of(self.pool)

    @property
    def awaited(self) -> tuple[Member, ...]:
        """Who must be gone before anybody takes their place."""
        return awaited(self.members, self.model, self.pool, self.pools, self.machinery)

    @property
    def present(self) -> tuple[Member, ...]:
        return present(self.members, self.model, self.pool)

    @property
    def drain_seconds(self) -> float:
        own = self.wanted.drain_seconds
        return self.patience.drain if own is None else own

    @property
    def leaving(self) -> tuple[Member, ...]:
        """Draining and not yet being ended, lowest number first."""
        gone = draining(self.members, self.model, self.pool)
        return tuple(m for m in gone if not m.ending and not self.drains[m.name].removing)


def _pool(look: _Look) -> Iterator[Step]:
    if not look.machinery.scales or (look.watched is not None and look.watched.hold is not None):
        yield from (Undrain(member.name) for member in look.leaving)
        return
    missing = look.wanted.replicas - len(look.present)
    if missing > 0:
        back = look.leaving[:missing]
        yield from (Undrain(member.name) for member in back)
        coming = missing - len(back) - len(look.awaited)
        if coming > 0:
            yield from _starts(look, coming)
        return
    yield from (Mark(member.name) for member in _marked(look))
    rescued = _rescue(look)
    if rescued is not None:
        yield Undrain(rescued.name)
        return
    swapped = _swapped(look)
    yield from swapped
    if not swapped:
        yield from (step for member in _next(look) for step in _removal(look, look.drains[member.name]))


def _starts(look: _Look, missing: int) -> Iterator[Step]:
    if look.watched is not None:
        yield Start(look.model, look.pool, missing)
    elif not any(member.starting for member in look.present):
        yield Start(look.model, look.pool)


def _marked(look: _Look) -> tuple[Member, ...]:
    """Who is to leave: not the last ready decode engine, should the machinery's turns want it before a broken one."""
    going = leavers(look.present, look.wanted.replicas)
    if look.pool is not Pool.DECODE or any(m.state is State.READY and m not in going for m in look.present):
        return going
    return tuple(m for m in going if m.state is not State.READY)


def _swapped(look: _Look) -> tuple[Step, ...]:
    """Where the machinery would end another engine than the one that leaves, the two change places."""
    first = min(look.present, key=lambda member: member.turn, default=None)
    last = max(look.leaving, key=lambda member: member.turn, default=None)
    if first is None or last is None or first.turn >= last.turn:
        return ()
    return Undrain(last.name), Mark(first.name)


def _next(look: _Look) -> tuple[Member, ...]:
    """The leaving engines whose turn it is: the machinery would end others in the place of the rest."""
    first = min((member.turn for member in look.leaving), default=0)
    return tuple(member for member in look.leaving if member.turn == first)


def _rescue(look: _Look) -> Member | None:
    """A ready engine that was to leave stays when nothing else can decode; the next look lets a broken one go instead."""
    if look.pool is not Pool.DECODE or any(member.state is State.READY for member in look.present):
        return None
    return next((m for m in look.leaving if m.health is Health.READY and not m.starting), None)


def _removal(look: _Look, drain: Drain) -> Iterator[Step]:
    settle = look.patience.settle[look.pool]
    if drain.quiet_since is not None and look.now - drain.quiet_since >= settle:
        yield Remove(drain.name, f"drained after {look.now - drain.since:.1f} s")
    elif look.now - drain.since >= look.drain_seconds:
        yield Remove(drain.name, f"still busy after {look.drain_seconds:.0f} s of draining")
