"""What keeps the tiers behind the engines as desired."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stack.api.board import Board
from stack.api.cache_board import CacheBoard
from stack.api.cache_keeper import CacheKeeper
from stack.api.sight import Sight
from stack.api.tier_keeper import TierKeeper
from stack.control.mode import Stance
from stack.control.ports import CacheHost, QuotaBackend, Store, TierBackend


@dataclass(frozen=True, slots=True, kw_only=True)
class Backends:
    """`store` is where the store's limits are changed, `quotas` where those of cache servers are, and `host` restarts these.

    None where there is none.
    """

    store: TierBackend | None = None
    quotas: QuotaBackend | None = None
    host: CacheHost | None = None


NO_BACKENDS = Backends()


@dataclass(frozen=True, slots=True, kw_only=True)
class Keepers:
    """Each None where it has nothing to keep."""

    tiers: TierKeeper | None = None
    caches: CacheKeeper | None = None

    @property
    def pokes(self) -> tuple[Callable[[], None], ...]:
        """What is called after each change."""
        return tuple(one.poke for one in (self.tiers, self.caches) if one is not None)


def keepers(
    backends: Backends,
    *,
    board: Board,
    sight: Sight,
    cache: CacheBoard,
    store: Store,
    clock: Callable[[], float],
    wall: Callable[[], float],
    stance: Stance,
) -> Keepers:
    """Those that `backends` allow."""
    tiers = caches = None
    if backends.store is not None:
        tiers = TierKeeper(board=board, sight=sight, backend=backends.store, store=store, clock=clock, wall=wall, stance=stance)
    if backends.quotas is not None:
        caches = CacheKeeper(
            board=board,
            cache=cache,
            sight=sight,
            quotas=backends.quotas,
            host=backends.host,
            store=store,
            clock=clock,
            wall=wall,
            stance=stance,
        )
    return Keepers(tiers=tiers, caches=caches)
