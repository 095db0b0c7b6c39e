"""What experiments are made of, joined."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stack.api.board import Board
from stack.api.changes import Changes
from stack.api.experiment_routes import ExperimentRoutes
from stack.api.experiments import Experiments
from stack.api.judging import Judging
from stack.api.permit import Permitted
from stack.api.proposing import Proposals
from stack.api.returning import Return
from stack.api.ring import DecisionRing
from stack.api.routers import Routers
from stack.control.mode import Stance
from stack.control.ports import ExperimentStore, Store

NOT_ALLOWED = "control was not run with --experiments"


@dataclass(frozen=True, slots=True, kw_only=True)
class Experimenting:
    """`returning` is to be taken up before routers are answered."""

    judging: Judging
    returning: Return
    routes: Sequence[Permitted]


def experimenting(
    *,
    board: Board,
    routers: Routers,
    ring: DecisionRing,
    changes: Changes,
    store: Store,
    kept: ExperimentStore,
    wall: Callable[[], float],
    ack_seconds: float,
    stance: Stance,
    allowed: bool,
) -> Experimenting:
    """Where they are not `allowed` none begins and none goes on; what was found can be read all the same."""
    experiments = Experiments(board=board, kept=kept, wall=wall)
    judging = Judging(experiments=experiments, board=board, changes=changes, store=store, wall=wall)
    ring.readers.append(judging.read)
    proposals = Proposals(
        board=board,
        routers=routers,
        changes=changes,
        experiments=experiments,
        store=store,
        wall=wall,
        new_id=lambda: f"exp-{secrets.token_hex(4)}",
        allowed=allowed,
        comment_required=stance.comment_required,
        ack_seconds=ack_seconds,
    )
    refusal = stance.refusal if allowed else NOT_ALLOWED
    returning = Return(board=board, experiments=experiments, store=store, kept=kept, wall=wall, refusal=refusal)
    return Experimenting(
        judging=judging,
        returning=returning,
        routes=ExperimentRoutes(proposals=proposals, experiments=experiments, kept=kept).routes(),
    )
