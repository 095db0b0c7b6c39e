"""What becomes of experiments that ran when control went away: they go on with what was kept, or end with the reason."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from stack.api.board import Board
from stack.api.experiments import Experiments, Running, step
from stack.control.experiment import Experiment, Stage
from stack.control.ports import ExperimentStore, Store, StoreError
from stack.control.tally import Tally

log = logging.getLogger(__name__)

LOOKED_AT = 1_000  # that began last; one that runs is among them
GENERATIONS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """Done once, before routers are answered. `refusal` says why none may go on, None where they may."""

    board: Board
    experiments: Experiments
    store: Store
    kept: ExperimentStore
    wall: Callable[[], float]
    refusal: str | None

    async def take_up(self) -> None:
        """Every experiment that ran. Raises StoreError."""
        for experiment in await self.kept.newest(LOOKED_AT):
            if experiment.running:
                await self._one(experiment)

    async def _one(self, experiment: Experiment) -> None:
        tally, kept = await self._tally(experiment)
        state = self.board.desired.models.get(experiment.model)
        if self.refusal is not None:
            await self._end(experiment, tally, Stage.ABORTED, f"when control came back: {self.refusal}")
        elif state == experiment.control:
            await self._go_on(experiment, tally, kept)
        elif state == experiment.candidate and (generation := await self._own(experiment)) is not None:
            await self._end(experiment, tally, Stage.PROMOTED, "its goal was reached before control went away", generation)
        else:
            why = f"{experiment.model} is not desired any more as it was when the experiment began"
            await self._end(experiment, tally, Stage.ABORTED, why)

    async def _go_on(self, experiment: Experiment, tally: Tally, kept: str) -> None:
        experiment = replace(experiment, resumed=experiment.resumed + 1)
        said = f"goes on after control came back: {kept}"
        record = step(experiment, self.wall(), self.board.generation, said)
        await self.kept.keep(experiment, tally, record)
        self.experiments.go(Running(experiment, tally, self.wall()))
        log.info("experiment goes on", extra={"experiment": experiment.id, "sessions": sum(tally.units)})

    async def _end(self, experiment: Experiment, tally: Tally, stage: Stage, reason: str, promoted: int | None = None) -> None:
        ended = replace(experiment, stage=stage, reason=reason, ended_at=self.wall(), promoted=promoted)
        record = step(ended, self.wall(), self.board.generation, f"{stage}: {reason}")
        await self.kept.keep(ended, tally.closed(), record)

    async def _tally(self, experiment: Experiment) -> tuple[Tally, str]:
        """What was kept of its sessions, and a sentence about it."""
        try:
            kept = await self.kept.one(experiment.id)
        except StoreError:  # another release kept it in another way
            kept = None
        if kept is None:
            return Tally.of(experiment.proposal), "what was counted cannot be read, so counting starts anew"
        tally = kept[1]
        return tally, f"with the {sum(tally.units):,} sessions that were kept; what came since is not counted"

    async def _own(self, experiment: Experiment) -> int | None:
        """The generation in which it was promoted, although its end was not kept any more."""
        for generation in await self.store.generations(GENERATIONS):
            if generation.record is not None and generation.record.actor == experiment.own_actor:
                return generation.number
        return None
