"""One change at a time: judged, kept on disk, put in force, acknowledged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import partial

import msgspec

from stack.api.board import Board
from stack.api.errors import ApiError
from stack.api.noting import note
from stack.api.routers import Routers
from stack.api.sight import Sight
from stack.api.telemetry import Telemetry
from stack.api.wish import Declared, Wanted, Wish
from stack.control.audit import AuditRecord, Outcome
from stack.control.counterpart import Counterpart
from stack.control.decide import Decision, Leeway, decide, decide_whole
from stack.control.flights import begun
from stack.control.mode import LIVE, Stance
from stack.control.ports import Store, StoreError
from stack.control.refusal import RefusedError
from stack.control.trial_effects import ended

log = logging.getLogger(__name__)

ACK_SECONDS = 2.0
_OUTCOMES = {403: Outcome.REFUSED, 409: Outcome.STALE, 422: Outcome.REFUSED, 503: Outcome.FAILED}
REQUEST_MAX = 4_000  # characters of a patch that the audit log repeats


@dataclass(frozen=True, slots=True)
class Asked:
    """A change as it arrived: `if_match` is the header; `actor` and `remote` say who."""

    wish: Wish
    if_match: str | None
    dry_run: bool
    actor: str
    remote: str | None = None
    comment: str | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of it. `pending` are the live routers that have not followed yet."""

    decision: Decision
    pending: tuple[str, ...] = ()


class Changes:
    """The only way to change the desired state. `wall` is Unix seconds; `woken` are called after each change."""

    def __init__(
        self,
        *,
        board: Board,
        routers: Routers,
        sight: Sight,
        store: Store,
        strategies: tuple[str, ...],
        telemetry: Telemetry,
        wall: Callable[[], float],
        woken: Sequence[Callable[[], None]],
        stance: Stance = LIVE,
        counterpart: Counterpart | None = None,
        ack_seconds: float = ACK_SECONDS,
    ) -> None:
        self._board, self._routers, self._sight, self._store = board, routers, sight, store
        self._strategies, self._telemetry, self._wall, self._woken = strategies, telemetry, wall, woken
        self._stance, self._ack_seconds, self._counterpart = stance, ack_seconds, counterpart
        self._lock = asyncio.Lock()
        self._keeping: set[asyncio.Task[int]] = set()

    async def change(self, asked: Asked) -> Changed:
        """Apply, or on a dry run only judge, what is `asked`. Raises ApiError; then nothing of it is in force."""
        try:
            decision, version = await self._judge(asked)
        except ApiError as error:
            await self._refused(asked, error)
            raise
        self._telemetry.count(Outcome.DRY_RUN if asked.dry_run else Outcome.APPLIED)
        if asked.dry_run:
            return Changed(decision)
        for wake in self._woken:
            wake()
        return Changed(decision, await self._routers.acknowledged(version, self._ack_seconds))

    async def _judge(self, asked: Asked) -> tuple[Decision, int]:
        if (reason := self._stance.refusal) is not None and not asked.dry_run and not isinstance(asked.wish, Declared):
            raise ApiError(403, "mode", reason)  # routes are gated; this is for what asks without one
        based_on = _generation(asked.if_match)
        wanted = await asked.wish.read(self._store)
        async with self._lock:
            if based_on != self._board.generation:
                raise ApiError(
                    409,
                    "stale",
                    f"this change is based on generation {based_on}, the state is at {self._board.generation}: read it again",
                )
            decision = await self._decide(wanted, asked.force)
            if asked.dry_run or not decision.diff:
                return decision, self._board.version
            if self._stance.comment_required and not asked.comment and not isinstance(asked.wish, Declared):
                raise ApiError(422, "refused", "a change takes a comment here: say why", "comment")
            return decision, await self._owned(self._keep(asked, decision, wanted.rolled_back_to))

    async def _decide(self, wanted: Wanted, force: bool) -> Decision:
        judge = partial(decide_whole, past=wanted.rolled_back_to is not None) if wanted.whole else decide
        leeway, sight, before = Leeway(self._board.flights, force), self._sight, self._board.desired
        try:
            decision = judge(
                wanted.document, before, sight.members(), self._strategies, sight.machinery, leeway, sight.store, sight.caches
            )
            elsewhere = () if self._counterpart is None else await self._counterpart.check(before, decision.desired)
            trials = ended(self._board.trials, before, decision.desired)
            return replace(decision, effects=(*decision.effects, *elsewhere, *trials))
        except RefusedError as error:
            raise ApiError(422, error.code, error.message, error.field or None) from error

    async def _owned(self, keeping: Coroutine[None, None, int]) -> int:
        """A client that hangs up between disk and memory must not leave them apart: the work goes on without it."""
        task = asyncio.ensure_future(keeping)
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)
        return await asyncio.shield(task)

    async def _keep(self, asked: Asked, decision: Decision, rolled_back_to: int | None) -> int:
        kept = replace(self._board.kept, generation=self._board.generation + 1, desired=decision.desired)
        record = self._record(asked, Outcome.APPLIED, kept.generation, decision)
        record = msgspec.structs.replace(record, rolled_back_to=rolled_back_to)
        try:
            await self._store.keep(kept, record)
        except StoreError as error:
            log.error("change not kept", extra={"error": str(error)})
            raise ApiError(503, "not_kept", f"the change could not be kept, so nothing was changed: {error}") from error
        log.info("state changed", extra={"generation": kept.generation, "actor": asked.actor, "fields": len(decision.diff)})
        self._board.flights = begun(self._board.flights, self._board.desired, kept.desired, record.at)
        return self._board.apply(kept)

    async def _refused(self, asked: Asked, error: ApiError) -> None:
        outcome = _OUTCOMES.get(error.status, Outcome.INVALID)
        self._telemetry.count(outcome)
        if asked.dry_run:
            return
        await note(self._store, self._record(asked, outcome, self._board.generation, None, error))

    def _record(
        self, asked: Asked, outcome: Outcome, generation: int, decision: Decision | None, error: ApiError | None = None
    ) -> AuditRecord:
        return AuditRecord(
            at=self._wall(),
            actor=asked.actor,
            outcome=outcome,
            generation=generation,
            remote=asked.remote,
            comment=asked.comment,
            forced=asked.force,
            request=asked.wish.body.decode(errors="replace")[:REQUEST_MAX],
            diff=decision.diff if decision else (),
            effects=tuple(effect.sentence for effect in decision.effects) if decision else (),
            error=_sayable(error.message) if error else None,
            field=_sayable(error.field) if error and error.field else None,
        )


def _generation(header: str | None) -> int:
    """The generation of an If-Match header, quoted or bare. Raises ApiError."""
    text = (header or "").strip().removeprefix("W/").strip('"')
    if not text or text == "*":
        raise ApiError(428, "precondition_required", "say with If-Match which generation this change is based on (GET /v1/state)")
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise ApiError(400, "bad_precondition", "If-Match must be a generation: a whole number, quoted or bare")
    return int(text)


def _sayable(text: str) -> str:
    return text.encode(errors="replace").decode()[:REQUEST_MAX]
