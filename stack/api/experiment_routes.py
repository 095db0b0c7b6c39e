"""What people and their tools ask about experiments: to begin one, how it goes, to stop it."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from stack.api import asking
from stack.api.changes import Asked
from stack.api.contract import FLAG, TEXT, Body, Contract, Parameter
from stack.api.errors import ApiError, json_response
from stack.api.experiment_schema import ArmView, BegunView, ExperimentsView, ExperimentView
from stack.api.experiments import Experiments
from stack.api.permit import Permitted
from stack.api.proposing import Proposals
from stack.api.state_routes import effect_view
from stack.api.wish import Patch
from stack.control.access import Role
from stack.control.experiment import Experiment, Proposal
from stack.control.ports import ExperimentStore, StoreError
from stack.control.tally import Tally
from stack.control.verdict import findings

_ID = Parameter("id", TEXT, "The experiment's.", "path", True)
_COMMENT = Parameter("comment", TEXT, "Why; kept in the audit log.")
_ACTOR = Parameter("X-Kvdeck-Actor", TEXT, "Who asks; only where control has no tokens.", "header")
_BEGIN = Contract(
    "Lets a share of a model's sessions try a change, and promotes it, stops, or rolls it back by what comes of it; 202 when a "
    "live router has yet to follow. 404 unless control runs with --experiments.",
    {200: Body(BegunView), 202: Body(BegunView)},
    Body(Proposal),
    (
        Parameter("If-Match", TEXT, "The generation that it is based on; another one in force refuses it.", "header", True),
        Parameter("dry_run", FLAG, "Only say what it would be."),
        _COMMENT,
        Parameter("X-Kvdeck-Comment", TEXT, "The same.", "header"),
        _ACTOR,
    ),
)
_LIST = Contract("Experiments, newest first, running and ended.", {200: Body(ExperimentsView)}, parameters=(asking.LIMIT,))
_ONE = Contract("One experiment with what it found, so far or in all.", {200: Body(ExperimentView)}, parameters=(_ID,))
_STOP = Contract(
    "Ends an experiment: everything goes by what is in force again.",
    {200: Body(ExperimentView)},
    parameters=(_ID, _COMMENT, _ACTOR),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentRoutes:
    """The API's part about experiments."""

    proposals: Proposals
    experiments: Experiments
    kept: ExperimentStore

    def routes(self) -> list[Permitted]:
        return [
            Permitted("POST", "/v1/experiments", self.begin, needs=Role.OPERATOR, contract=_BEGIN),
            Permitted("GET", "/v1/experiments", self.every, needs=Role.VIEWER, contract=_LIST),
            Permitted("GET", "/v1/experiments/{id}", self.one, needs=Role.VIEWER, contract=_ONE),
            Permitted("POST", "/v1/experiments/{id}/stop", self.stop, needs=Role.OPERATOR, contract=_STOP),
        ]

    async def begin(self, request: Request) -> Response:
        asking.only(request, "dry_run", "comment")
        asked = Asked(
            wish=Patch(await asking.body(request, asking.PATCH_BYTES)),
            if_match=request.headers.get("if-match"),
            dry_run=asking.flag(request, "dry_run"),
            actor=asking.actor(request),
            remote=request.client.host if request.client else None,
            comment=asking.comment(request),
        )
        begun = await self.proposals.begin(asked)
        view = BegunView(
            experiment=begun.experiment,
            dry_run=asked.dry_run,
            diff=begun.decision.diff,
            effects=tuple(effect_view(effect) for effect in begun.decision.effects),
            pending=begun.pending,
            unheard=not asked.dry_run and self.proposals.routers.unheard,
        )
        return json_response(view, 202 if view.pending else 200)

    async def every(self, request: Request) -> Response:
        asking.only(request, "limit")
        limit = asking.limit(request)
        try:
            return json_response(ExperimentsView(experiments=await self.kept.newest(limit)))
        except StoreError as error:
            raise ApiError(503, "not_readable", f"the experiments cannot be read: {error}") from error

    async def one(self, request: Request) -> Response:
        asking.only(request)
        return json_response(await self._view(request.path_params["id"]))

    async def stop(self, request: Request) -> Response:
        asking.only(request, "comment")
        name = request.path_params["id"]
        await self._view(name)  # 404 for one that never was
        await self.experiments.stop(name, asking.actor(request), asking.comment(request))
        return json_response(await self._view(name))

    async def _view(self, name: str) -> ExperimentView:
        for running in self.experiments.running.values():
            if running.experiment.id == name:
                return self._shown(running.experiment, running.tally)
        try:
            kept = await self.kept.one(name)
        except StoreError as error:
            raise ApiError(503, "not_readable", f"the experiment cannot be read: {error}") from error
        if kept is None:
            raise ApiError(404, "not_found", "there is no experiment of this id")
        return self._shown(*kept)

    def _shown(self, experiment: Experiment, tally: Tally) -> ExperimentView:
        samples, seconds = experiment.left(sum(tally.units), self.proposals.wall()) if experiment.running else (None, None)
        return ExperimentView(
            experiment=experiment,
            control=ArmView(requests=tally.requests[False], sessions=tally.units[False]),
            candidate=ArmView(requests=tally.requests[True], sessions=tally.units[True]),
            findings=findings(experiment.proposal, tally),
            open_sessions=len(tally.open),
            left_out=tally.left_out,
            samples_left=samples,
            seconds_left=seconds,
            not_taking_part=self._absent(experiment) if experiment.running else None,
        )

    def _absent(self, experiment: Experiment) -> tuple[str, ...]:
        live = self.proposals.routers.live()
        return tuple(sorted(report.id for report in live if experiment.id not in report.experiments))
