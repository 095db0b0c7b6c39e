"""What is in force now, and how those who wait for it hear of a change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from stack.control.drain import Drain
from stack.control.drained import drained
from stack.control.flights import Flights
from stack.control.link import RouterConfig, Trial
from stack.control.ports import Kept
from stack.control.state import Desired
from stack.control.trial_effects import ended


class Board:
    """The desired state, the draining engines, the changes of pools in flight, and the version of what routers are told.

    Versions begin at `first_version`, which must be above those of any control before this one. So a router's acknowledgement
    can never be mistaken for one of an earlier life.
    `listeners` are told of every change: what was in force, and what is.
    """

    def __init__(self, kept: Kept, first_version: int, flights: Flights | None = None) -> None:
        self._kept, self._version = kept, first_version
        self.flights: Flights = flights or {}
        self._drains: dict[str, Drain] = {}
        self._trials: dict[str, Trial] = {}
        self._others = False
        self.listeners: list[Callable[[Kept, Kept], None]] = []
        self._changed = asyncio.Event()
        self._closed = False

    @property
    def kept(self) -> Kept:
        """What is in force, as the store has it."""
        return self._kept

    @property
    def generation(self) -> int:
        return self._kept.generation

    @property
    def desired(self) -> Desired:
        return self._kept.desired

    @property
    def version(self) -> int:
        return self._version

    @property
    def drains(self) -> Mapping[str, Drain]:
        return self._drains

    def apply(self, kept: Kept) -> int:
        """Put a new desired state in force; the version that routers must acknowledge. No trial of a changed model outlives it."""
        before, self._kept = self._kept, kept
        over = {effect.model for effect in ended(self._trials, before.desired, kept.desired)}
        self._trials = {model: trial for model, trial in self._trials.items() if model not in over}
        for listener in self.listeners:
            listener(before, kept)
        return self._publish()

    def drain(self, drains: Mapping[str, Drain]) -> None:
        """Replace the draining engines; routers hear of it when the names differ."""
        renamed = set(drains) != set(self._drains)
        self._drains = dict(drains)
        if renamed:
            self._publish()

    def accompany(self, others: bool) -> None:
        """Whether each router has others beside it; routers hear of it when that changes."""
        if others != self._others:
            self._others = others
            self._publish()

    @property
    def trials(self) -> Mapping[str, Trial]:
        """The experiments that routers take part in, by model."""
        return self._trials

    def try_out(self, model: str, trial: Trial | None) -> int:
        """Begin, or with None end, an experiment on `model`; the version that routers must acknowledge."""
        self._trials = {name: each for name, each in self._trials.items() if name != model} | ({model: trial} if trial else {})
        return self._publish()

    def config(self) -> RouterConfig:
        """The document routers apply."""
        return RouterConfig(
            version=self._version,
            generation=self.generation,
            models=self.desired.models,
            experiments=self._trials,
            others=self._others,
            draining=tuple(sorted({*self._drains, *drained(self.desired)})),
        )

    async def changed(self, version: int, wait_seconds: float) -> bool:
        """Whether the version is, or becomes within `wait_seconds`, another than `version`."""
        try:
            async with asyncio.timeout(wait_seconds):
                while self._version == version and not self._closed:
                    await self._changed.wait()
        except TimeoutError:
            return False
        return self._version != version

    def close(self) -> None:
        """Send everyone home who waits: the process ends."""
        self._closed = True
        self._wake()

    def _publish(self) -> int:
        self._version += 1
        self._wake()
        return self._version

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
