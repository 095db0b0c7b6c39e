"""Feeds experiments with what routers tell, and ends those whose end has come: by their verdict, or by a change of their model."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence

import msgspec

from stack.api.board import Board
from stack.api.changes import Asked, Changes
from stack.api.errors import ApiError
from stack.api.experiments import Experiments, Running
from stack.api.wish import Patch
from stack.control.decision import DecisionRecord
from stack.control.experiment import Stage
from stack.control.ports import Store, StoreError
from stack.control.verdict import Ruling, ruling

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
KEEP_SECONDS = 15.0  # what a crash costs: the sessions that were counted since
ARRIVED_MAX = 50_000  # records that wait for a look; beyond it the oldest go, of whichever arm
RECORDS_AT_ONCE = 20  # some five milliseconds


class Judging:
    """`wall` is Unix seconds. Promotions are changes like anybody's; `store` tells who made another one."""

    def __init__(
        self, *, experiments: Experiments, board: Board, changes: Changes, store: Store, wall: Callable[[], float]
    ) -> None:
        self._experiments, self._board, self._changes, self._store, self._wall = experiments, board, changes, store, wall
        self._arrived: deque[DecisionRecord] = deque(maxlen=ARRIVED_MAX)

    def read(self, records: Sequence[DecisionRecord]) -> None:
        """A reader of the ring: what is of an experiment waits for the next look."""
        self._arrived.extend(record for record in records if record.experiment is not None)

    async def run(self) -> None:
        """Look again and again until cancelled; what was counted by then is kept."""
        try:
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                try:
                    await self.look()
                except Exception:  # a fault in one look must not leave a bad candidate in force; the next look comes
                    log.exception("looking at experiments failed")
        finally:
            for running in tuple(self._experiments.running.values()):
                await self._experiments.keep(running)

    async def look(self) -> None:
        """Count what arrived, and end what has come to its end."""
        async with self._experiments.lock:
            await self._count()
            for running in tuple(self._experiments.running.values()):
                running.tally.settle(self._wall())
                try:
                    await self._judge(running)
                except StoreError as error:  # the next look tries again
                    log.error("experiment not kept", extra={"experiment": running.experiment.id, "error": str(error)})

    async def _count(self) -> None:
        now, number = self._wall(), 0
        while self._arrived:
            record = self._arrived.popleft()
            running = self._experiments.running.get(record.model)
            if running is not None and running.experiment.id == record.experiment:
                running.tally.take(record, now)
            number += 1
            if number % RECORDS_AT_ONCE == 0:
                await asyncio.sleep(0)

    async def _judge(self, running: Running) -> None:
        now = self._wall()
        if running.displaced is not None:
            await self._displaced(running, running.displaced)
            return
        found = ruling(running.experiment, running.tally, now)
        if found is None:
            if now - running.kept_at >= KEEP_SECONDS:
                await self._experiments.keep(running)
        elif found.stage is Stage.PROMOTED:
            await self._promote(running, found)
        else:
            self._board.try_out(running.experiment.model, None)  # first what hurts, then the books
            await self._experiments.end(running, found)

    async def _promote(self, running: Running, found: Ruling) -> None:
        """Based on what is in force, where the model is still as it was when this began: else it would be displaced."""
        experiment = running.experiment
        wish = Patch(msgspec.json.encode(experiment.proposal.candidate))
        asked = Asked(wish, str(self._board.generation), dry_run=False, actor=experiment.own_actor, comment=found.reason)
        running.promoting = found
        try:
            await self._changes.change(asked)
        except ApiError as error:
            running.promoting = None
            if error.status in (409, 503):  # somebody was quicker, or the disk is full: the next look sees how it is then
                log.warning("experiment not promoted yet", extra={"experiment": experiment.id, "error": error.message})
                return
            self._board.try_out(experiment.model, None)
            why = f"{found.reason}; but it cannot be put in force: {error.message}"
            await self._experiments.end(running, Ruling(Stage.STOPPED, why))
        else:
            await self._judge(running)

    async def _displaced(self, running: Running, generation: int) -> None:
        """Its model was changed: by itself, or by somebody who goes before it."""
        if running.promoting is not None:
            await self._experiments.end(running, running.promoting, promoted=generation)
            return
        kept = await self._store.generations(1, generation + 1)
        who = kept[0].record.actor if kept and kept[0].record else "somebody"
        why = f"{running.experiment.model} was changed by {who}, in generation {generation}"
        await self._experiments.end(running, Ruling(Stage.ABORTED, why))
