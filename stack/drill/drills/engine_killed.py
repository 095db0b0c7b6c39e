"""SIGKILL, as when memory ran out or the node went."""

from __future__ import annotations

from collections.abc import AsyncIterator

from stack.drill.drill import Scene, drill
from stack.model.tier import Pool


@drill(
    "A decode engine is killed and stays away",
    required=("KvdeckEngineDown",),
    # Emulated engines share a process: with one, all are gone.
    tolerated=(
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
    """Held down until the alert was seen: a supervisor would have an emulated one back before anybody noticed."""
    victim = scene.process_of(scene.engine(Pool.DECODE))
    try:
        await scene.kill_process(victim)
        await scene.hold(victim)
        yield
    finally:
        await scene.release(victim)
