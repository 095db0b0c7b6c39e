"""The loop that brings the fleet to the desired state, one look and a few steps at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from stack.api.backoff import Failure, failed
from stack.api.board import Board
from stack.api.looking import Looking
from stack.api.noting import note
from stack.api.routers import Routers
from stack.api.sight import Sight
from stack.control.audit import AuditRecord, Outcome
from stack.control.drain import Drain, observed
from stack.control.machinery import EngineProcess, Phase
from stack.control.mode import LIVE, Stance
from stack.control.ports import PoolScaler, ScalerError, Store
from stack.control.reconcile import Mark, Patience, Remove, Start, Step, Undrain, reconcile
from stack.model.target import Target, TargetFileError

log = logging.getLogger(__name__)

SETTLING_SECONDS = 30.0  # how long an add or a remove may take to show in what the machinery lists
MACHINERY = "machinery"


class Reconciler(Looking):
    """Owns draining, starting and removing. `clock` is monotonic.

    `targets` answers with the target file when it changed, and raises TargetFileError while it cannot be read.
    """

    every_seconds = 0.5

    def __init__(
        self,
        *,
        board: Board,
        routers: Routers,
        sight: Sight,
        scaler: PoolScaler,
        store: Store,
        targets: Callable[[], Sequence[Target] | None],
        clock: Callable[[], float],
        wall: Callable[[], float],
        patience: Patience | None = None,
        stance: Stance = LIVE,
    ) -> None:
        super().__init__()
        self._board, self._routers, self._sight, self._scaler, self._store = board, routers, sight, scaler, store
        self._targets, self._clock, self._wall, self._patience = targets, clock, wall, patience or Patience()
        self._stance = stance
        self._added: dict[str, tuple[EngineProcess, float]] = {}
        self._removed: dict[str, float] = {}
        self._failures: dict[str, Failure] = {}

    async def tick(self) -> None:
        """One look at the fleet, and the steps it calls for."""
        known = await self._look()
        now = self._clock()
        self._board.accompany(len(self._routers.live()) > 1)
        self._board.drain(self._drains(now))
        steps = self._steps(now)
        if known:  # what cannot be ended must not be kept from serving
            self._mark(steps, now)
        fields = {_field(step): step for step in steps if isinstance(step, Start | Remove)}
        self._failures = {field: failure for field, failure in self._failures.items() if field == MACHINERY or field in fields}
        if known:
            await self._scale(fields)
        self._sight.failures = {field: f"{f.message} (tried {f.times}x)" for field, f in self._failures.items()}

    def _steps(self, now: float) -> Sequence[Step]:
        """What this look calls for; nothing where control only observes."""
        if not self._stance.acts:
            return ()
        sight, drains = self._sight, self._board.drains
        return reconcile(self._board.desired, sight.members(), drains, now, self._patience, sight.watching, sight.machinery)

    async def _look(self) -> bool:
        """Refresh targets and processes; whether the machinery answered."""
        try:
            found = await self._scaler.look()
        except ScalerError as error:
            self._failures[MACHINERY] = failed(self._failures.get(MACHINERY), str(error), self._clock())
            return False
        finally:  # not before: an engine that is listed still and runs no more would count
            self._list()
        self._failures.pop(MACHINERY, None)
        self._sight.saw(found, [*found.processes, *self._unlisted({process.name for process in found.processes})])
        return True

    def _list(self) -> None:
        try:
            targets = self._targets()
        except TargetFileError as error:
            self._sight.unlistable = str(error)
            return
        self._sight.unlistable = None
        if targets is not None:
            self._sight.targets = targets

    def _unlisted(self, listed: set[str]) -> list[EngineProcess]:
        """Engines that were added a moment ago and that the machinery does not list yet."""
        now = self._clock()
        self._added = {n: a for n, a in self._added.items() if n not in listed and now - a[1] < SETTLING_SECONDS}
        return [process for process, _ in self._added.values()]

    def _drains(self, now: float) -> dict[str, Drain]:
        """The drains after this look: engines that are gone are forgotten, the others observed.

        Gone is what no live router knows any more either: one that reads the target file a moment later than
        control must not take an ended engine for one that serves again.
        """
        listed = {target.replica for target in self._sight.targets}
        routed = {engine.name for report in self._routers.live() for engine in report.engines}
        alive = listed | routed | {process.name for process in self._sight.processes}
        self._removed = {n: at for n, at in self._removed.items() if n in alive and now - at < SETTLING_SECONDS}
        reports = self._routers.live()
        return {
            name: replace(observed(drain, reports, name in listed, now), removing=name in self._removed)
            for name, drain in self._board.drains.items()
            if name in alive
        }

    def _mark(self, steps: Sequence[Step], now: float) -> None:
        drains = dict(self._board.drains)
        for step in steps:
            if isinstance(step, Mark):
                drains[step.name] = Drain(step.name, now, self._board.version + 1)
                log.info("engine drains", extra={"engine": step.name})
            elif isinstance(step, Undrain):
                drains.pop(step.name)
                log.info("engine serves again", extra={"engine": step.name})
        self._board.drain(drains)

    async def _scale(self, steps: Mapping[str, Start | Remove]) -> None:
        version = self._board.version
        for field, step in steps.items():
            if self._board.version != version:
                return  # the desired state changed while the machinery worked: these steps may be wrong now
            before = self._failures.get(field)
            if before is None or self._clock() >= before.not_before:
                await self._attempt(field, step, before)

    async def _attempt(self, field: str, step: Start | Remove, before: Failure | None) -> None:
        try:
            done = await self._start(step) if isinstance(step, Start) else await self._remove(step)
        except ScalerError as error:
            self._failures[field] = failed(before, str(error), self._clock())
            if before is None:  # the retries of the same failure would drown the log
                await self._note(Outcome.FAILED, field, error=str(error))
            return
        self._failures.pop(field, None)
        await self._note(Outcome.STEP, field, effect=done)

    async def _start(self, step: Start) -> str:
        names = await self._scaler.grow(step.model, step.pool, step.by)
        started = [EngineProcess(name, step.model, step.pool, Phase.STARTING) for name in names]
        self._added |= {process.name: (process, self._clock()) for process in started}
        self._sight.processes = [*self._sight.processes, *started]
        for name in names:
            self._removed.pop(name, None)  # the name may be that of an engine that ended a moment ago
        self._board.drain({drained: drain for drained, drain in self._board.drains.items() if drained not in names})
        if not names:
            return f"{step.by} more {step.pool} engine{'s' if step.by > 1 else ''} asked for"
        return f"{', '.join(names)} start{'s' if len(names) == 1 else ''}"

    async def _remove(self, step: Remove) -> str:
        self._removed[step.name] = self._clock()
        try:
            await self._scaler.remove(step.name)
        except ScalerError:
            self._removed.pop(step.name)
            raise
        return f"{step.name} ends: {step.reason}"

    async def _note(self, outcome: Outcome, field: str, *, effect: str | None = None, error: str | None = None) -> None:
        log.log(logging.WARNING if error else logging.INFO, "step", extra={"field": field, "effect": effect, "error": error})
        record = AuditRecord(
            at=self._wall(),
            actor="control",
            outcome=outcome,
            generation=self._board.generation,
            effects=(effect,) if effect else (),
            error=error,
            field=field,
        )
        await note(self._store, record)


def _field(step: Start | Remove) -> str:
    return f"models.{step.model}.pools.{step.pool}.replicas" if isinstance(step, Start) else f"engines.{step.name}"
