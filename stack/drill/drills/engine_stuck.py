"""SIGSTOP to the engine's core alone: its server goes on saying that all is well."""

from __future__ import annotations

from collections.abc import AsyncIterator

from stack.drill.drill import Scene, drill
from stack.model.tier import Pool

# More than engines, and all different: some reach the one that stands still, whatever the routing strategy. Short: a router
# explains silence by the prompts it sent.
REQUESTS = 8
WORDS = 30


@drill(
    "A decode engine's core stands still behind a healthy server",
    required=("KvdeckEngineStalled",),
    tolerated=(
        "KvdeckEngineNotGenerating",
        "KvdeckEngineQueueGrowing",
        "KvdeckEngineDown",
        "KvdeckHotspot",
        "KvdeckRoutingFallbacks",
    ),
    emulated=False,
)
async def play(scene: Scene) -> AsyncIterator[None]:
    """Only requests find out, so it is given some."""
    victim = scene.process_of(scene.engine(Pool.DECODE))
    try:
        await scene.freeze(victim, server=False)
        async with scene.ask([scene.prompt(WORDS) for _ in range(REQUESTS)], tokens=2):
            yield
    finally:
        await scene.thaw(victim)
