"""The experiments that run: kept before routers are told, and kept again before anyone is told of their end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from stack.api.board import Board
from stack.api.errors import ApiError
from stack.control.audit import AuditRecord, Outcome
from stack.control.experiment import Experiment, Stage
from stack.control.ports import ExperimentStore, Kept, StoreError
from stack.control.tally import Tally
from stack.control.verdict import Ruling

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Running:
    """`displaced` is the generation that changed its model while it ran; `promoting` the verdict, when that is its own doing."""

    experiment: Experiment
    tally: Tally
    kept_at: float
    displaced: int | None = None
    promoting: Ruling | None = None


class Experiments:
    """One at a time for each model. `wall` is Unix seconds; whoever ends one from outside holds `lock`."""

    def __init__(self, *, board: Board, kept: ExperimentStore, wall: Callable[[], float]) -> None:
        self._board, self._kept, self._wall = board, kept, wall
        self._running: dict[str, Running] = {}
        self._keeping: set[asyncio.Task[int]] = set()
        self.lock = asyncio.Lock()
        board.listeners.append(self._changed)

    @property
    def running(self) -> Mapping[str, Running]:
        """By model."""
        return self._running

    async def begin(self, experiment: Experiment, record: AuditRecord) -> int:
        """Keep it, then tell routers; the version that they must acknowledge. Raises ApiError, and then nothing runs."""
        async with self.lock:
            model = experiment.model
            if (other := self._running.get(model)) is not None:
                message = f"experiment {other.experiment.id} runs on {model}: one at a time; stop it first"
                raise ApiError(409, "experiment_running", message)
            # A client that hangs up between disk and memory must not leave them apart: the work goes on without it.
            task = asyncio.ensure_future(self._begin(Running(experiment, Tally.of(experiment.proposal), self._wall()), record))
            self._keeping.add(task)
            task.add_done_callback(self._keeping.discard)
            return await asyncio.shield(task)

    async def _begin(self, running: Running, record: AuditRecord) -> int:
        experiment = running.experiment
        try:
            await self._kept.keep(experiment, running.tally, record)
        except StoreError as error:
            raise ApiError(503, "not_kept", f"the experiment could not be kept, so it does not run: {error}") from error
        log.info("experiment runs", extra={"experiment": experiment.id, "model": experiment.model})
        return self.go(running)

    def go(self, running: Running) -> int:
        """Tell routers of what is kept; the version that they must acknowledge."""
        experiment = running.experiment
        self._running[experiment.model] = running
        if self._board.desired.models.get(experiment.model) != experiment.control:
            running.displaced = self._board.generation  # a change came while it was being kept: the next look ends it
            return self._board.version
        return self._board.try_out(experiment.model, experiment.trial)

    async def stop(self, name: str, actor: str, comment: str | None) -> None:
        """End it, because somebody says so. Raises ApiError, and then it runs on."""
        async with self.lock:
            running = next((each for each in self._running.values() if each.experiment.id == name), None)
            if running is None:
                raise ApiError(409, "not_running", f"experiment {name} does not run")
            try:
                await self.end(running, Ruling(Stage.ABORTED, f"stopped by {actor}"), actor, comment)
            except StoreError as error:
                raise ApiError(503, "not_kept", f"that it ends could not be kept, so it runs on: {error}") from error

    async def keep(self, running: Running) -> None:
        """What it has counted. Raises StoreError."""
        running.kept_at = self._wall()
        await self._kept.keep(running.experiment, running.tally, None)

    async def end(
        self, running: Running, found: Ruling, actor: str | None = None, comment: str | None = None, promoted: int | None = None
    ) -> None:
        """Keep its end, by itself unless an `actor` is named, and tell routers. Raises StoreError, and then it is still there."""
        experiment = msgspec.structs.replace(
            running.experiment, stage=found.stage, reason=found.reason, ended_at=self._wall(), promoted=promoted
        )
        said = f"{found.stage}: {found.reason}"
        record = step(experiment, self._wall(), self._board.generation, said, actor=actor, comment=comment)
        await self._kept.keep(experiment, running.tally.closed(), record)
        if experiment.model in self._board.trials:
            self._board.try_out(experiment.model, None)
        del self._running[experiment.model]
        log.info("experiment ended", extra={"experiment": experiment.id, "stage": found.stage.value, "reason": found.reason})

    def _changed(self, before: Kept, after: Kept) -> None:
        for model, running in self._running.items():
            if after.desired.models.get(model) != before.desired.models.get(model):
                running.displaced = after.generation


def step(
    experiment: Experiment, at: float, generation: int, said: str, *, actor: str | None = None, comment: str | None = None
) -> AuditRecord:
    """One line of the audit log about an experiment; it acts by itself unless an `actor` is named."""
    return AuditRecord(
        at=at,
        actor=actor or experiment.own_actor,
        outcome=Outcome.EXPERIMENT,
        generation=generation,
        comment=comment,
        effects=(said,),
        field=f"experiments.{experiment.id}",
    )
