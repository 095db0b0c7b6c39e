"""For how many more engines a machine has room, and how much is missing."""

from __future__ import annotations

import msgspec

from stack.model.tier import Pool

_GB = 1_000_000_000
_NO_CORE = 0.001  # shares of a core add up with an error


class Amount(msgspec.Struct, frozen=True, kw_only=True):
    """Of a machine; an engine that shares a core needs a part of one."""

    memory_bytes: int
    cores: float

    @property
    def words(self) -> str:
        return " and ".join(self.parts)

    @property
    def parts(self) -> tuple[str, ...]:
        """Memory and cores, those below zero as none."""
        cores = max(0.0, round(self.cores, 2))
        return (f"{max(0, self.memory_bytes) / _GB:.1f} GB of memory", f"{cores:g} core{'' if cores == 1 else 's'}")


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """What each engine of a pool needs, and what is free for them: memory of the whole machine, the pool's own cores.

    With a `refusal` the pool cannot have any more, whatever is free; the sentence says what to do.
    """

    needs: Amount
    free: Amount
    refusal: str | None = None


def shortage(pool: Pool, count: int, room: Room, given_back: int = 0) -> str | None:
    """Why `room` does not take `count` more engines; None when it does.

    Others give back so many bytes of memory, or take them, where that is below zero.
    """
    if room.refusal is not None:
        return room.refusal
    needed = Amount(memory_bytes=room.needs.memory_bytes * count, cores=room.needs.cores * count)
    free = Amount(memory_bytes=max(0, room.free.memory_bytes + given_back), cores=max(0.0, room.free.cores))
    lacking = Amount(memory_bytes=needed.memory_bytes - free.memory_bytes, cores=needed.cores - free.cores)
    short = [part for part, lacks in zip(lacking.parts, (lacking.memory_bytes > 0, lacking.cores > _NO_CORE), strict=True) if lacks]
    if not short:
        return None
    many = f"{count} more {pool} engines need" if count > 1 else f"one more {pool} engine needs"
    return f"{many} {needed.words}; {free.words} are free: {' and '.join(short)} are missing"
