"""Keeps a document elsewhere at what is desired, and tells where it is not."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from stack.api.board import Board
from stack.api.looking import Looking
from stack.api.noting import note
from stack.api.sight import Sight
from stack.control.audit import AuditRecord, Outcome
from stack.control.counterpart import Counterpart
from stack.control.mode import Stance
from stack.control.ports import Store

log = logging.getLogger(__name__)


class Mirror(Looking):
    """Each step is in the audit log, and so is each failure when it begins. `wall` is Unix seconds."""

    every_seconds = 1.0

    def __init__(
        self, *, counterpart: Counterpart, board: Board, sight: Sight, store: Store, stance: Stance, wall: Callable[[], float]
    ) -> None:
        super().__init__()
        self._counterpart, self._board, self._sight = counterpart, board, sight
        self._store, self._stance, self._wall = store, stance, wall

    async def tick(self) -> None:
        """One look, and what it calls for; nothing where control only observes."""
        if not self._stance.acts:
            return
        followed = await self._counterpart.follow(self._board.desired)
        for step in followed.steps:
            log.info("set elsewhere", extra={"step": step})
            await self._note(Outcome.STEP, comment=step)
        for field, why in _begun(self._sight.elsewhere, followed.drift).items():
            await self._note(Outcome.FAILED, error=why, field=field)
        self._sight.elsewhere = dict(followed.drift)

    async def _note(self, outcome: Outcome, comment: str | None = None, error: str | None = None, field: str | None = None) -> None:
        record = AuditRecord(
            at=self._wall(), actor="control", outcome=outcome, generation=self._board.generation,
            comment=comment, error=error, field=field,
        )  # fmt: skip
        await note(self._store, record)


def _begun(before: Mapping[str, str], now: Mapping[str, str]) -> Mapping[str, str]:
    """What was not so at the last look."""
    return {field: why for field, why in now.items() if field not in before}
