"""Whether anything may be changed over the API at all."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request

from stack.api import asking
from stack.api.board import Board
from stack.api.errors import ApiError
from stack.api.noting import note
from stack.api.refusal import Refusal, Refused
from stack.control.audit import AuditRecord, Outcome
from stack.control.mode import Stance
from stack.control.ports import Store

NOTE_SECONDS = 1.0  # whoever asks on and on must not fill the disk
PATH_MAX = 300  # characters of method and path that the audit log repeats


class Gate:
    """Turns away whoever would change something in a mode that takes no changes; the audit log tells whom. `wall`: Unix seconds.

    It tells of whoever's role does not include what was asked for, too: one a second for each token and route, the rest is counted.
    """

    def __init__(self, stance: Stance, board: Board, store: Store, wall: Callable[[], float], refused: Refused) -> None:
        self._stance, self._board, self._store, self._wall, self._refused = stance, board, store, wall, refused
        self._noted: dict[tuple[str, str], float] = {}

    async def __call__(self, request: Request, previews: bool) -> None:
        """Lets `request` pass, or raises ApiError. `previews`: its route knows dry runs, which change nothing."""
        reason = self._stance.refusal
        if reason is None or (previews and asking.flag(request, "dry_run")):
            return
        self._refused(Refusal.MODE)
        await self._note(request, reason)
        raise ApiError(403, Refusal.MODE, reason)

    async def forbidden(self, request: Request, route: str, why: str) -> None:
        """Count it, and note it unless the same token was turned away from `route` within the last second."""
        self._refused(Refusal.FORBIDDEN)
        key, now = (asking.actor(request), route), self._wall()
        last = self._noted.get(key)
        if last is None or abs(now - last) >= NOTE_SECONDS:
            self._noted[key] = now
            await self._note(request, why)

    async def _note(self, request: Request, reason: str) -> None:
        record = AuditRecord(
            at=self._wall(),
            actor=asking.actor(request),
            outcome=Outcome.REFUSED,
            generation=self._board.generation,
            remote=request.client.host if request.client else None,
            comment=asking.comment(request),
            request=f"{request.method} {request.url.path}"[:PATH_MAX],
            error=reason,
        )
        await note(self._store, record)
