"""Sends changes one after another, each based on what is in force, and remembers what was answered to each."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from stack.api.answers import ControlUnreachableError, RefusedChangeError, StaleError
from stack.api.client import ControlClient
from stack.api.schema import ChangeView
from stack.bench.changes.proposals import Patch, Proposals

T = TypeVar("T")

AUTHOR = "bench-changes"
_RETRY_S = 0.05
_AWAY_S = 60.0  # control is back long before that, or does not come back


class ChangesError(RuntimeError):
    """The changes cannot go on; the message says why."""


@dataclass(slots=True)
class Journal:
    """What was sent, by its comment; the generation that each answer of success told; and how the others ended."""

    sent: dict[str, bytes] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
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
        on_change: Callable[[int], Awaitable[None]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._control, self._model, self._proposals = control, model, proposals
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
        state = await patiently(self._control.state)
        patch: Patch = {"models": {self._model: self._proposals.next(state.desired.models[self._model])}}
        comment = f"{AUTHOR} {len(self.journal.sent) + 1}"
        self.journal.sent[comment] = msgspec.json.encode(patch)
        began = self._clock()
        self.busy = True
        try:
            view = await asyncio.to_thread(self._control.change, patch, state.generation, comment=comment)
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

    async def _accepted(self, comment: str, view: ChangeView, seconds: float) -> None:
        if not view.diff:
            raise ChangesError(f"a change that differs was taken for none: {self.journal.sent[comment].decode()}")
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
