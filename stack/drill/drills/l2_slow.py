"""A store that takes what is asked of it and does not answer: worse than one that is gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from stack.drill.drill import Scene, drill
from stack.drill.meanwhile import meanwhile
from stack.model.tier import Pool

# Longer than any pace; it ends by itself should nobody be left to end it.
PAUSE_MILLISECONDS = 3_600_000
# More than a chunk of LMCache's: it looks for no less.
WORDS = 300
EVERY_SECONDS = 0.7


@drill(
    "The store stops answering, and prompts wait for what it may hold",
    required=("KvdeckEngineQueueGrowing",),
    # One engine is asked and the others are not, by this drill.
    tolerated=(
        "KvdeckEngineNotGenerating",
        "KvdeckEngineStalled",
        "KvdeckExternalHitRatioCollapsed",
        "KvdeckHotspot",
        "KvdeckKvTransferStuck",
        "KvdeckL1AllocationFailing",
        "KvdeckL2Backlog",
        "KvdeckL2Silent",
        "KvdeckPoolImbalance",
        "KvdeckRequestsAborted",
        "KvdeckTierHitRatioCollapsed",
    ),
    within=120.0,  # a queue that grows has to be told from one that is long
    emulated=False,
)
async def play(scene: Scene) -> AsyncIterator[None]:
    """One engine is asked itself. Only writes are held back, so that the store's exporter sees nothing wrong."""
    engine = scene.engine(Pool.DECODE)

    async def load() -> None:
        async with asyncio.TaskGroup() as asked:
            while True:
                asked.create_task(scene.complete(engine, scene.prompt(WORDS)))
                await scene.pause(EVERY_SECONDS)

    try:
        await scene.store("CLIENT", "PAUSE", str(PAUSE_MILLISECONDS), "WRITE")
        async with meanwhile(load()):
            yield
    finally:
        await scene.store("CLIENT", "UNPAUSE")
