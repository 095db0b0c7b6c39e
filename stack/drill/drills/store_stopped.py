"""The store behind the cache server goes away."""

from __future__ import annotations

from collections.abc import AsyncIterator

from stack.drill.drill import Scene, drill
from stack.local.components import store


@drill(
    "The store, the L2 tier, is stopped",
    required=("KvdeckStoreDown",),
    # The cache server is away for a while, too: see below.
    tolerated=(
        "KvdeckCollectorFailing",
        "KvdeckExternalHitRatioCollapsed",
        "KvdeckL2Backlog",
        "KvdeckL2EvictsUnseen",
        "KvdeckL2Silent",
        "KvdeckTierHitRatioCollapsed",
    ),
    emulated=False,
)
async def play(scene: Scene) -> AsyncIterator[None]:
    """When it is back the supervisor starts the cache server anew, whose connection would never come back."""
    try:
        await scene.hold(store.NAME)
        yield
    finally:
        await scene.release(store.NAME)
