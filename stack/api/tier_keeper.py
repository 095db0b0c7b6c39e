"""Keeps the tiers behind the engines as desired: looks, sets what differs, says what stands in the way."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import msgspec

from stack.api.backoff import Failure, failed
from stack.api.board import Board
from stack.api.looking import Looking
from stack.api.noting import note
from stack.api.sight import Sight
from stack.control.audit import AuditRecord, Outcome
from stack.control.mode import LIVE, Stance
from stack.control.ports import Store, TierBackend, TierError
from stack.control.tier_effects import MEMORY, POLICY, unmet
from stack.control.tiers import StoreLimits, StoreSeen, size

log = logging.getLogger(__name__)

DEADLINE_SECONDS = 3.0


class TierKeeper(Looking):
    """One look at a time over `backend`. A store that began anew without its limits gets them again at the next one."""

    every_seconds = 2.0

    def __init__(
        self,
        *,
        board: Board,
        sight: Sight,
        backend: TierBackend,
        store: Store,
        clock: Callable[[], float],
        wall: Callable[[], float],
        stance: Stance = LIVE,
    ) -> None:
        """`store` keeps the audit log; `clock` is monotonic, `wall` Unix seconds."""
        super().__init__()
        self._board, self._sight, self._backend, self._store = board, sight, backend, store
        self._clock, self._wall, self._stance = clock, wall, stance
        self._failure: Failure | None = None

    async def tick(self) -> None:
        """One look, and what it calls for."""
        seen = await self._look()
        wanted = unmet(self._board.desired.tiers.l2.store, seen)
        waiting = self._failure is not None and self._clock() < self._failure.not_before
        if wanted != StoreLimits() and self._stance.acts and not waiting:
            seen = await self._set(wanted, seen)
        if wanted == StoreLimits():
            self._failure = None
        self._sight.store = seen if self._failure is None else msgspec.structs.replace(seen, error=self._failure.message)

    async def _look(self) -> StoreSeen:
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                return await self._backend.look()
        except TimeoutError:
            return StoreSeen(error=f"the store does not answer within {DEADLINE_SECONDS:.0f} s")
        except TierError as error:
            return StoreSeen(error=str(error))

    async def _set(self, wanted: StoreLimits, before: StoreSeen) -> StoreSeen:
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                await self._backend.limit(wanted)
        except (TierError, TimeoutError) as error:
            fresh = self._failure is None
            self._failure = failed(self._failure, str(error) or "the store does not answer", self._clock())
            if fresh:  # the retries of the same failure would drown the log
                await self._note(Outcome.FAILED, wanted, error=self._failure.message)
            return before
        self._failure = None
        await self._note(Outcome.STEP, wanted)
        return await self._look()

    async def _note(self, outcome: Outcome, wanted: StoreLimits, error: str | None = None) -> None:
        memory = () if wanted.maxmemory_bytes is None else (f"the store may hold {size(wanted.maxmemory_bytes)}",)
        policy = () if wanted.eviction_policy is None else (f"the store evicts by {wanted.eviction_policy}",)
        log.log(logging.WARNING if error else logging.INFO, "tier step", extra={"effects": [*memory, *policy], "error": error})
        record = AuditRecord(
            at=self._wall(),
            actor="control",
            outcome=outcome,
            generation=self._board.generation,
            effects=() if error else (*memory, *policy),
            error=error,
            field=MEMORY if memory else POLICY,
        )
        await note(self._store, record)
