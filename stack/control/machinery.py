"""What the machinery that runs engines says of them, and of what runs each pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from stack.control.room import Room
from stack.model.tier import Pool


class Phase(StrEnum):
    """An engine's process as the machinery that runs it sees it."""

    STARTING = "starting"
    RUNNING = "running"
    DOWN = "down"  # crashed and waiting to be restarted, or held down by an operator
    ENDING = "ending"  # told to end, by whomever: it no longer counts among its pool's engines


@dataclass(frozen=True, slots=True)
class EngineProcess:
    """An engine that the machinery runs or means to run, listed in the target file or not yet.

    Of a pool's engines the machinery ends those of the lowest `turn` first, whatever it is asked: 0 for all where it ends
    the one that it is told to.
    """

    name: str
    model: str
    pool: Pool
    phase: Phase
    url: str | None = None
    detail: str = ""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class PoolOwner:
    """Somebody else who sets how many engines a pool has. `hand_over` says what to change so that kvdeck may."""

    kind: str
    name: str
    hand_over: str


@dataclass(frozen=True, slots=True)
class Limit:
    """How many engines a pool can have at most, and who says so."""

    most: int
    reason: str


@dataclass(frozen=True, slots=True)
class Workload:
    """What runs a whole pool, and starts as many engines at once as it is told to.

    `replicas` is how many that are; `set_by` is who said so last, None when that was kvdeck or nobody knows.
    """

    model: str
    pool: Pool
    name: str
    replicas: int
    set_by: str | None = None
    owner: PoolOwner | None = None
    limit: Limit | None = None


@dataclass(frozen=True, slots=True)
class Machinery:
    """One look: every engine there is, and what runs the pools, where that is more than their engines.

    `changes_roles`: all run on one machine, where an engine of either pool can take the place of another one, so who ends
    comes before who starts. A pool that has no room here has no limit that is known. `resizes_l1`: it can restart the cache
    servers with another size of L1. Not `scales`: nobody that control knows starts or ends engines, and it asks for none.
    """

    processes: tuple[EngineProcess, ...] = ()
    workloads: tuple[Workload, ...] = ()
    changes_roles: bool = False
    rooms: Mapping[Pool, Room] = field(default_factory=dict)
    resizes_l1: bool = False
    scales: bool = True


UNKNOWN = Machinery()
NOBODY = "nothing that control knows runs the engines of this pool: start or stop them where they run"
