"""Engines that have just become ready, met one by one beside the requests: their tokens are held against ours."""

from __future__ import annotations

import asyncio
from typing import Protocol

from stack.fleet.engine import Engine, Health
from stack.fleet.snapshot import Fleet
from stack.model.target import Target


class Acquaintance(Protocol):
    """What wants to know engines that serve."""

    async def meet(self, target: Target) -> None:
        """An engine became ready."""
        ...

    def left(self, replica: str) -> None:
        """An engine is gone."""
        ...


class Greeter:
    """A listener of the fleet keeper with a queue of its own."""

    def __init__(self, acquaintance: Acquaintance) -> None:
        self._acquaintance = acquaintance
        self._queue: asyncio.Queue[Target] = asyncio.Queue()

    def fleet_changed(self, before: Fleet, after: Fleet) -> None:
        """Queue whoever became ready; say who left."""
        for name in before.members.keys() - after.members.keys():
            self._acquaintance.left(name)
        for engine in after.engines:
            if engine.health is Health.READY and not _was_ready(before, engine):
                self._queue.put_nowait(engine.target)

    async def run(self) -> None:
        """Meet engines until cancelled."""
        while True:
            await self._acquaintance.meet(await self._queue.get())


def _was_ready(before: Fleet, engine: Engine) -> bool:
    member = before.members.get(engine.name)
    return member is not None and member.engine.target == engine.target and member.engine.health is Health.READY
