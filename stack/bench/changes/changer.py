"""Sends changes one after another, each based on what is in force, and remembers what was answered to each."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from stack.api.answers import ControlUnreachableError, RefusedChangeError, StaleError
from stack.api.client import ControlClient
from stack.api.schema import ChangeView, StateView
from stack.bench.changes.proposals import Patch, Proposals

T = TypeVar("T")

AUTHOR = "bench-changes"
BACK_SHARE = 0.05
_RETRY_S = 0.05
_AWAY_S = 60.0  # control is back long before that, or does not come back


class ChangesError(RuntimeError):
    """The changes cannot go on; the message says why."""


@dataclass(slots=True)
class Journal:
    """What was sent, by its comment: a patch, or to which generation to go back; and how it ended.

    `answered` are the generations that answers of success told. `idle` went back to what was in force already.
    """

    sent: dict[str, Patch] = field(default_factory=dict)
    back: dict[str, int] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    idle: int = 0
    unanswered: int = 0
    stale: int = 0
    seconds: list[float] = field(default_factory=list)
    pending: int = 0


class Changer:
    """One operator who never rests. `on_change` is called after each change that was answered with success."""

    def __init__(
        self,
        control: ControlClient,
        model: str,
        proposals: Proposals,
        rng: random.Random,
        on_change: Callable[[int], Awaitable[None]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._control, self._model, self._proposals, self._rng = control, model, proposals, rng
        self._on_change, self._clock = on_change, clock
        self.journal = Journal()
        self.busy = False
        """A change was sent and is not answered yet."""

    async def run(self, changes: int, pause_seconds: float, go_on: Callable[[], bool]) -> None:
        """At least `changes` that are answered with success, and more while `go_on()`. Raises ChangesError, ControlError."""
        while len(self.journal.answered) < changes or go_on():
            await self._one()
            await asyncio.sleep(pause_seconds)

    async def _one(self) -> None:
        comment = f"{AUTHOR} {len(self.journal.sent) + len(self.journal.back) + 1}"
        send = self._wish(await patiently(self._control.state), comment)
        began = self._clock()
        self.busy = True
        try:
            view = await asyncio.to_thread(send)
        except RefusedChangeError as error:
            self.journal.refused[f"{error.code} {(error.field or '').removeprefix(f'models.{self._model}.')}".strip()] += 1
        except StaleError:
            self.journal.stale += 1
        except ControlUnreachableError:
            self.journal.unanswered += 1
        else:
            await self._accepted(comment, view, self._clock() - began)
        finally:
            self.busy = False

    def _wish(self, state: StateView, comment: str) -> Callable[[], ChangeView]:
        """What to ask for next: mostly a change, now and then the way back to an earlier one."""
        known = tuple(self.journal.answered.values())
        if known and self._rng.random() < BACK_SHARE:
            to = self.journal.back[comment] = self._rng.choice(known)
            return partial(self._control.rollback, to, state.generation, comment=comment)
        patch: Patch = {"models": {self._model: self._proposals.next(state.desired.models[self._model])}}
        self.journal.sent[comment] = patch
        return partial(self._control.change, patch, state.generation, comment=comment)

    async def _accepted(self, comment: str, view: ChangeView, seconds: float) -> None:
        if not view.diff and comment in self.journal.sent:
            raise ChangesError(f"a change that differs was taken for none: {self.journal.sent[comment]}")
        if not view.diff:
            self.journal.idle += 1
            return
        self.journal.answered[comment] = view.generation
        self.journal.seconds.append(seconds)
        self.journal.pending += bool(view.pending)
        await self._on_change(len(self.journal.answered))


async def patiently(ask: Callable[[], T]) -> T:
    """The answer of control, which may be away for a while. Raises ChangesError when it stays away, ControlError."""
    deadline = time.monotonic() + _AWAY_S
    while True:
        try:
            return await asyncio.to_thread(ask)
        except ControlUnreachableError as error:
            if time.monotonic() > deadline:
                raise ChangesError(f"control does not come back: {error}") from error
        await asyncio.sleep(_RETRY_S)
