"""From a request for an experiment to one that runs: judged as the change that it may become."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec
from msgspec.structs import replace as replace_record

from stack.api.board import Board
from stack.api.changes import ACK_SECONDS, REQUEST_MAX, Asked, Changes
from stack.api.errors import ApiError, clipped
from stack.api.experiments import Experiments
from stack.api.noting import note
from stack.api.routers import Routers
from stack.api.wish import Patch
from stack.control.audit import AuditRecord, Outcome
from stack.control.candidate import candidate
from stack.control.decide import Decision
from stack.control.experiment import Experiment, Proposal, proposed
from stack.control.ports import Store
from stack.control.refusal import RefusedError

OFF = "experiments are off here: run control with --experiments to allow them"


@dataclass(frozen=True, slots=True)
class Begun:
    """What runs, or on a dry run would; `pending` are the live routers that have not followed yet."""

    experiment: Experiment
    decision: Decision
    pending: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """Takes proposals, where experiments are `allowed`. `wall` is Unix seconds, `new_id` a name that no experiment had."""

    board: Board
    routers: Routers
    changes: Changes
    experiments: Experiments
    store: Store
    wall: Callable[[], float]
    new_id: Callable[[], str]
    allowed: bool
    comment_required: bool = False
    ack_seconds: float = ACK_SECONDS

    async def begin(self, asked: Asked) -> Begun:
        """What `asked` wishes is the JSON of a Proposal. Raises ApiError, and then nothing runs."""
        if not self.allowed:
            raise ApiError(404, "experiments_off", OFF)
        try:
            return await self._begin(asked)
        except ApiError as error:
            await self._refused(asked, error)
            raise

    async def _begin(self, asked: Asked) -> Begun:
        try:
            proposal = proposed((await asked.wish.read(self.store)).document)
        except RefusedError as error:
            raise ApiError(422, "refused", error.message, error.field or None) from error
        patch = Patch(msgspec.json.encode(proposal.candidate))
        decision = (await self.changes.change(replace(asked, wish=patch, dry_run=True))).decision
        experiment = self._experiment(asked, proposal, decision)
        if asked.dry_run:
            return Begun(experiment, decision)
        if self.comment_required and not asked.comment:
            raise ApiError(422, "refused", "an experiment takes a comment here, as a change does: say why", "comment")
        record = replace_record(
            self._record(asked, experiment.generation),
            diff=decision.diff,
            effects=_effects(experiment, decision),
            field=f"experiments.{experiment.id}",
        )
        version = await self.experiments.begin(experiment, record)
        return Begun(experiment, decision, await self.routers.acknowledged(version, self.ack_seconds))

    def _experiment(self, asked: Asked, proposal: Proposal, decision: Decision) -> Experiment:
        try:
            model, state = candidate(self.board.desired, decision)
        except RefusedError as error:
            raise ApiError(422, "refused", error.message, error.field or None) from error
        return Experiment(
            id=self.new_id(),
            model=model,
            generation=self.board.generation,
            proposal=proposal,
            control=self.board.desired.models[model],
            candidate=state,
            diff=decision.diff,
            actor=asked.actor,
            began_at=self.wall(),
            comment=asked.comment,
        )

    async def _refused(self, asked: Asked, error: ApiError) -> None:
        if asked.dry_run:
            return
        record = replace_record(
            self._record(asked, self.board.generation),
            outcome=Outcome.REFUSED,
            error=clipped(error.message),
            field=error.field and clipped(error.field),
        )
        await note(self.store, record)

    def _record(self, asked: Asked, generation: int) -> AuditRecord:
        return AuditRecord(
            at=self.wall(),
            actor=asked.actor,
            outcome=Outcome.EXPERIMENT,
            generation=generation,
            remote=asked.remote,
            comment=asked.comment,
            request=asked.wish.body.decode(errors="replace")[:REQUEST_MAX],
        )


def _effects(experiment: Experiment, decision: Decision) -> tuple[str, ...]:
    proposal = experiment.proposal
    ends = []
    if proposal.samples is not None:
        ends.append(f"{proposal.samples:,} sessions are counted")
    if proposal.duration_seconds is not None:
        ends.append(f"{proposal.duration_seconds:,.0f} s are over")
    until = " or ".join(ends)
    first = f"running: {proposal.share:.0%} of {experiment.model}'s sessions go by the candidate, until {until}"
    return (first, *(effect.sentence for effect in decision.effects))
