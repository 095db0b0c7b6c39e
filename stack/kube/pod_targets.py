"""Pods in the place of a target file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from stack.adapters.model_names import ModelNames
from stack.kube.discovery import EnginePods
from stack.model.target import Target

_LEARN_SECONDS = 1.0


class PodTargets:
    """The engines that `found` lists, each with the model that it says it serves."""

    def __init__(self, found: Callable[[], EnginePods], names: ModelNames) -> None:
        self._found, self._names = found, names
        self._listed: list[Target] = []
        self._news = asyncio.Event()

    async def watch(self, interval_seconds: float, on_change: Callable[[list[Target]], None]) -> None:
        """Call `on_change` with the engines once they are known and after each change, for ever."""
        pods = self._found()
        told: list[Target] | None = None
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(pods.run())
            tasks.create_task(self._learn())
            while True:
                if (listed := pods.changed()) is not None:
                    self._listed, told = listed, told or []
                    self._news.set()
                now = self._names.named(self._listed)
                if told is not None and now != told:
                    told = now
                    on_change(now)
                await asyncio.sleep(interval_seconds)

    async def _learn(self) -> None:
        """Ask new engines at once, and those that have not answered every second."""
        while True:
            self._news.clear()
            await self._names.learn(self._listed)
            with suppress(TimeoutError):
                async with asyncio.timeout(_LEARN_SECONDS):
                    await self._news.wait()
