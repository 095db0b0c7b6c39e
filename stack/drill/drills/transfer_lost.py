"""KV that was promised is not there any more when it is fetched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from stack.drill.drill import Scene, drill
from stack.model.tier import Pool

# The alert wants three within its window; one is what the loss of an engine costs anyway.
TRANSFERS = 5


@drill(
    "A prefill engine is killed between prefill and decode",
    required=("KvdeckKvTransferFailing",),
    tolerated=("KvdeckEngineDown", "KvdeckTransferTelemetryBroken", "KvdeckKvTransferStuck", "KvdeckPoolShort"),
    emulated=True,
)
async def play(scene: Scene) -> AsyncIterator[None]:
    """Plays the router's part itself: a router would have seen the engine die, and not have asked for the KV.

    The supervisor brings the engine back.
    """
    prefill, decode = scene.engine(Pool.PREFILL), scene.engine(Pool.DECODE)
    whole = scene.prompt(600)
    await scene.decode(decode, whole, await scene.prefill(prefill, whole))  # so that they know each other
    prompts = [scene.prompt(600) for _ in range(TRANSFERS)]
    promised = [await scene.prefill(prefill, prompt) for prompt in prompts]
    await scene.kill(prefill)
    async with asyncio.TaskGroup() as legs:
        for prompt, answer in zip(prompts, promised, strict=True):
            legs.create_task(scene.decode(decode, prompt, answer))
    yield
