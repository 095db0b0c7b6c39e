"""Declarative mode: what a file says is what is desired."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import msgspec

from stack.api.backoff import Failure, failed
from stack.api.board import Board
from stack.api.changes import Asked, Changes
from stack.api.desired_file import DesiredFileError
from stack.api.errors import ApiError
from stack.api.looking import Looking
from stack.api.noting import note
from stack.api.sight import Sight
from stack.api.wish import Declared
from stack.control.audit import AuditRecord, Outcome
from stack.control.mode import FILE_FIELD
from stack.control.ports import Store
from stack.control.state import Desired

log = logging.getLogger(__name__)

ACTOR = "file"


class Follower(Looking):
    """Puts in force what the file says whenever that changes. What is refused is drift, noted once, and tried again.

    `read` is blocking and raises DesiredFileError; `name` is the file's, for people; `clock` is monotonic, `wall` Unix seconds.
    """

    every_seconds = 1.0

    def __init__(
        self,
        *,
        read: Callable[[], Desired],
        name: str,
        board: Board,
        changes: Changes,
        sight: Sight,
        store: Store,
        clock: Callable[[], float],
        wall: Callable[[], float],
    ) -> None:
        super().__init__()
        self._read, self._name, self._board, self._changes = read, name, board, changes
        self._sight, self._store, self._clock, self._wall = sight, store, clock, wall
        self._applied: Desired | None = None
        self._refused: Desired | None = None
        self._failure: Failure | None = None

    async def tick(self) -> None:
        """One look at the file, and the change it calls for."""
        try:
            desired = await asyncio.to_thread(self._read)
        except DesiredFileError as error:
            await self._unreadable(str(error))
            return
        if desired == self._applied:
            self._settle(desired)
        elif desired != self._refused or self._failure is None or self._clock() >= self._failure.not_before:
            await self._apply(desired)

    async def _apply(self, desired: Desired) -> None:
        """What was refused before is only tried, so that the audit log tells each refusal once."""
        again = desired == self._refused and self._failure is not None
        try:
            if again:
                await self._changes.change(self._asked(desired, dry_run=True))
            await self._changes.change(self._asked(desired, dry_run=False))
        except ApiError as error:
            message = f"{error.field}: {error.message}" if error.field else error.message
            if self._failure is None or self._failure.message != message:
                log.warning("the desired file is refused", extra={"file": self._name, "error": message})
            self._failure = failed(self._failure if again else None, message, self._clock())
            self._refused = desired
            self._sight.desired_file = f"{self._name} is refused: {message}; generation {self._board.generation} stays in force"
            return
        self._settle(desired)

    def _settle(self, desired: Desired) -> None:
        self._applied, self._refused, self._failure = desired, None, None
        self._sight.desired_file = None

    async def _unreadable(self, message: str) -> None:
        told = f"{message}; generation {self._board.generation} stays in force"
        if self._sight.desired_file == told:
            return
        self._sight.desired_file, self._refused, self._failure = told, None, None
        log.warning("the desired file is not understood", extra={"error": message})
        record = AuditRecord(
            at=self._wall(),
            actor=ACTOR,
            outcome=Outcome.INVALID,
            generation=self._board.generation,
            comment=self._name,
            error=message,
            field=FILE_FIELD,
        )
        await note(self._store, record)

    def _asked(self, desired: Desired, *, dry_run: bool) -> Asked:
        wish = Declared(msgspec.json.encode(desired))
        return Asked(wish=wish, if_match=str(self._board.generation), dry_run=dry_run, actor=ACTOR, comment=self._name)
