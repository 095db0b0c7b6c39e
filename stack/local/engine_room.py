"""For how many more real engines this machine has memory and cores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from stack.adapters.supervisor_link import ComponentState
from stack.control.room import Amount, Room, shortage
from stack.local.cores import Division
from stack.local.engine_making import RefusedError
from stack.local.install.preflight import ENGINE_BYTES
from stack.local.spec import Spec
from stack.model.tier import Pool

# A pool, its engines, and those of both pools that start: see EngineRoom.
Space = Callable[[Pool, int, int], Room]

NO_NIXL = "begun without prefill engines, so the decode engines have no NIXL: kvdeck down, kvdeck up --prefill 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRoom:
    """`available` tells the machine's free memory in bytes; so many engines share a core at most, those of one pool only."""

    available: Callable[[], int]
    division: Division
    has_prefill: bool
    engines_per_core: int

    def __call__(self, pool: Pool, engines: int, starting: int) -> Room:
        """With so many `engines` in `pool`, and so many `starting` in both, which have not taken their memory yet."""
        cores = self.division.prefill if pool is Pool.PREFILL else self.division.decode
        share = 1 / self.engines_per_core
        return Room(
            needs=Amount(memory_bytes=ENGINE_BYTES, cores=share),
            free=Amount(memory_bytes=self.available() - starting * ENGINE_BYTES, cores=len(cores) - engines * share),
            refusal=NO_NIXL if pool is Pool.PREFILL and not self.has_prefill else None,
        )


def check_room(rooms: Mapping[str, Room], pool: Pool) -> Pool:
    """`pool`, if there is room in it for one more engine. Raises RefusedError."""
    room = rooms.get(pool.value)
    if room is not None and (lacking := shortage(pool, 1, room)):
        raise RefusedError(lacking)
    return pool


def rooms(space: Space, components: Collection[tuple[Spec, ComponentState]]) -> dict[str, Room]:
    """The room in each pool, with the engines among `components` counted. A failed one is about to start again."""
    engines = [(spec.target.pool, state) for spec, state in components if spec.target is not None]
    starting = sum(state in (ComponentState.STARTING, ComponentState.FAILED) for _, state in engines)
    return {pool.value: space(pool, sum(own is pool for own, _ in engines), starting) for pool in Pool}
