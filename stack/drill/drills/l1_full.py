"""More prompts in turn than L1 has room for: each finds that it was just thrown out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import cycle

from stack.drill.drill import Scene, drill
from stack.drill.meanwhile import meanwhile
from stack.model.tier import Pool

# 63 chunks of 256 tokens: L1 of the local stack holds 45, and each is gone from the engine's own cache as well.
PROMPTS = 9
WORDS = 1800


@drill(
    "L1 is given more than it holds, again and again",
    required=("KvdeckL1TooSmall",),
    # One engine is asked and the others are not, by this drill.
    tolerated=(
        "KvdeckEvictionPressure",
        "KvdeckExternalHitRatioCollapsed",
        "KvdeckHotspot",
        "KvdeckL1AllocationFailing",
        "KvdeckL2Backlog",
        "KvdeckPoolImbalance",
        "KvdeckPrefixHitRatioCollapsed",
        "KvdeckTierHitRatioCollapsed",
    ),
    within=180.0,  # a hundred chunks that came back have to be computed or loaded first
    emulated=False,
)
async def play(scene: Scene) -> AsyncIterator[None]:
    """One engine is asked itself: a router would spread the prompts over engines that still have them."""
    engine = scene.engine(Pool.DECODE)
    prompts = [scene.prompt(WORDS) for _ in range(PROMPTS)]

    async def load() -> None:
        for prompt in cycle(prompts):
            await scene.complete(engine, prompt)

    async with meanwhile(load()):
        yield
