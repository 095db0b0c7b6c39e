"""SIGSTOP: the process is there, its port is open, and nothing comes out of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

from stack.drill.drill import Scene, drill
from stack.model.tier import Pool


@drill(
    "A decode engine stands still",
    required=("KvdeckEngineDown",),
    # Emulated engines share a process: with one, all stand still.
    tolerated=(
        "KvdeckEngineStalled",
        "KvdeckNoReadyDecodeEngine",
        "KvdeckKvPlacementUnknown",
        "KvdeckModelNotServed",
        "KvdeckPoolShort",
        "KvdeckRoutingFallbacks",
        "KvdeckRequestsFailing",
    ),
    emulated=True,
)
async def play(scene: Scene) -> AsyncIterator[None]:
    """Nobody restarts it: the supervisor leaves alone what runs and does not answer."""
    victim = scene.process_of(scene.engine(Pool.DECODE))
    try:
        await scene.freeze(victim)
        yield
    finally:
        await scene.thaw(victim)
