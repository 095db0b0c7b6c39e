"""Control once it is put together: what answers, and what runs beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from starlette.applications import Starlette

from stack.api.board import Board
from stack.api.cache_keeper import CacheKeeper
from stack.api.decision_stream import Feed
from stack.api.follower import Follower
from stack.api.judging import Judging
from stack.api.mirror import Mirror
from stack.api.reconciler import Reconciler
from stack.api.reporter import Reporter
from stack.api.returning import Return
from stack.api.tier_keeper import TierKeeper


class Loop(Protocol):
    """Runs until it is cancelled."""

    async def run(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """The assembled process."""

    app: Starlette
    board: Board
    reconciler: Reconciler
    feed: Feed
    reporter: Reporter
    judging: Judging
    returning: Return
    follower: Follower | None
    tiers: TierKeeper | None
    caches: CacheKeeper | None
    mirror: Mirror | None

    @property
    def loops(self) -> dict[str, Loop]:
        """What runs as long as the process does, by name."""
        every: dict[str, Loop | None] = {
            "reconcile": self.reconciler,
            "report": self.reporter,
            "experiments": self.judging,
            "follow": self.follower,
            "keep tiers": self.tiers,
            "keep caches": self.caches,
            "mirror": self.mirror,
        }
        return {name: loop for name, loop in every.items() if loop is not None}
