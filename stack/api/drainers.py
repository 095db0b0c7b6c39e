"""Who took engines out of rotation, told by the audit log: the document itself only names the engines."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from stack.api.board import Board
from stack.control.drained import Drainer, drained, drainers
from stack.control.ports import Store, StoreError

log = logging.getLogger(__name__)

RECORDS = 1_000  # how far back the log is read, once a generation and only while some engine is out


class Drainers:
    """Reads the log anew when the generation changed. What cannot be told stays untold."""

    def __init__(self, board: Board, store: Store) -> None:
        self._board, self._store = board, store
        self._generation: int | None = None
        self._known: Mapping[str, Drainer] = {}

    async def known(self) -> Mapping[str, Drainer]:
        """By engine; engines that the configuration took out, or somebody long ago, are missing."""
        generation, names = self._board.generation, drained(self._board.desired)
        if generation != self._generation:
            try:
                self._known = drainers(names, await self._store.records(RECORDS)) if names else {}
            except StoreError as error:
                log.warning("who drained is not known", extra={"error": str(error)})
                return {}
            self._generation = generation
        return self._known
