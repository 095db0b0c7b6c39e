"""Kills control without warning, again and again, and takes the time until it answers and routers follow it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from stack.api.client import ControlClient
from stack.bench.changes.changer import patiently

_LOOK_S = 0.02
_WELL_MOST_S = 1.0


class Machinery(Protocol):
    """What runs control, and starts it again after a crash."""

    async def kill(self) -> bool:
        """Control's process ends at once, without a word to it; False when it has none just now."""
        ...

    async def forget_failures(self) -> None:
        """The next crash is treated as the first: the wait before a restart grows with crashes in a row."""
        ...


@dataclass(slots=True)
class Wounds:
    """`struck` are kills while a change was under way. Seconds run from the kill: to an answer, and to all routers following."""

    kills: int = 0
    struck: int = 0
    answering: list[float] = field(default_factory=list)
    followed: list[float] = field(default_factory=list)


class Killer:
    """`busy` says whether a change is under way. Blocking calls of `control` go to threads."""

    def __init__(
        self,
        control: ControlClient,
        machinery: Machinery,
        busy: Callable[[], bool],
        rng: random.Random,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._control, self._machinery, self._busy = control, machinery, busy
        self._rng, self._clock, self._sleep = rng, clock, sleep
        self.wounds = Wounds()

    async def run(self, kills: int) -> None:
        """One kill after another; each at a random moment after control had recovered from the one before."""
        while self.wounds.kills < kills:
            await self._sleep(self._rng.uniform(0.0, _WELL_MOST_S))
            await self._one()

    async def _one(self) -> None:
        struck, before = self._busy(), self._clock()
        if not await self._machinery.kill():
            return
        self.wounds.struck += struck
        self.wounds.kills += 1
        generation = (await patiently(self._control.health)).generation
        self.wounds.answering.append(self._clock() - before)
        while not await self._followed(generation):
            await self._sleep(_LOOK_S)
        self.wounds.followed.append(self._clock() - before)
        await self._machinery.forget_failures()

    async def _followed(self, generation: int) -> bool:
        """Every router that this life of control has heard of is live and has come as far."""
        routers = (await patiently(self._control.state)).applied.routers
        return bool(routers) and all(router.live and router.generation >= generation for router in routers)
