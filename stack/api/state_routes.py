"""What people and their tools ask: the state, and changes to it."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from stack.api import asking
from stack.api.board import Board
from stack.api.changes import Asked, Changed, Changes
from stack.api.contract import FLAG, TEXT, Body, Contract, Parameter
from stack.api.drainers import Drainers
from stack.api.errors import json_response
from stack.api.field_board import FieldBoard
from stack.api.permit import Permitted
from stack.api.pool_views import pool_view
from stack.api.routers import Routers
from stack.api.schema import Applied, ChangeView, DrainedView, EffectView, EngineView, HealthView, StateView
from stack.api.sight import Sight
from stack.api.telemetry import Telemetry
from stack.api.wish import Back, Patch, Rollback, Wish
from stack.control.access import Role
from stack.control.drained import Drainer, drained
from stack.control.effects import Effect
from stack.control.members import Member
from stack.control.mode import Stance
from stack.fleet.engine import State

_PROMETHEUS = "text/plain; version=0.0.4"
_STATE = Contract("Desired against applied, engines, drift. The generation is the ETag.", {200: Body(StateView)})
_CHANGE = (
    Parameter("If-Match", TEXT, "The generation that the change is based on; another one in force refuses it.", "header", True),
    Parameter("dry_run", FLAG, "Only say what the change would do."),
    Parameter("comment", TEXT, "Why; kept in the audit log."),
    Parameter("force", FLAG, "Change a pool's size although its last change is in flight; passes no other rail. Audited."),
    Parameter("X-Kvdeck-Comment", TEXT, "The same.", "header"),
    Parameter("X-Kvdeck-Actor", TEXT, "Who asks; only where control has no tokens.", "header"),
)
_PATCH = Contract(
    "Changes the desired state by a JSON merge patch (RFC 7396): null brings a default back; 202 when a router has yet to follow.",
    {200: Body(ChangeView), 202: Body(ChangeView)},
    Body(None, "application/merge-patch+json"),
    _CHANGE,
)
_ROLLBACK = Contract(
    "Makes the document of an earlier generation the desired state again, as a change like any other: judged by today's rules.",
    {200: Body(ChangeView), 202: Body(ChangeView)},
    Body(Rollback),
    _CHANGE,
)
_HEALTH = Contract("Whether control answers.", {200: Body(HealthView)})
_METRICS = Contract("Control's own metrics, for Prometheus.", {200: Body(None, _PROMETHEUS)})


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRoutes:
    """The operator's half of the API."""

    board: Board
    routers: Routers
    sight: Sight
    changes: Changes
    telemetry: Telemetry
    drainers: Drainers
    stance: Stance
    fields: FieldBoard

    def routes(self) -> list[Permitted]:
        return [
            Permitted("GET", "/v1/state", self.state, needs=Role.VIEWER, contract=_STATE),
            Permitted("PATCH", "/v1/state", self.patch, needs=Role.OPERATOR, contract=_PATCH),
            Permitted("POST", "/v1/rollback", self.rollback, needs=Role.OPERATOR, contract=_ROLLBACK),
            Permitted("GET", "/health", self.health, needs=None, contract=_HEALTH),
            Permitted("GET", "/metrics", self.metrics, needs=None, contract=_METRICS),
        ]

    async def state(self, request: Request) -> Response:
        asking.only(request)
        view = await self._view()
        return json_response(view, headers={"ETag": f'"{view.generation}"'})

    async def patch(self, request: Request) -> Response:
        return await self._change(request, Patch(await asking.body(request, asking.PATCH_BYTES)))

    async def rollback(self, request: Request) -> Response:
        return await self._change(request, Back(await asking.body(request, asking.PATCH_BYTES)))

    async def _change(self, request: Request, wish: Wish) -> Response:
        asking.only(request, "dry_run", "comment", "force")
        asked = Asked(
            wish=wish,
            if_match=request.headers.get("if-match"),
            dry_run=asking.flag(request, "dry_run"),
            actor=asking.actor(request),
            remote=request.client.host if request.client else None,
            comment=asking.comment(request),
            force=asking.flag(request, "force"),
        )
        changed = await self.changes.change(asked)
        view = await self._changed(asked.dry_run, changed)
        return json_response(view, 202 if view.pending else 200, {"ETag": f'"{view.generation}"'})

    async def health(self, _: Request) -> Response:
        return json_response(HealthView(status="ok", generation=self.board.generation))

    async def metrics(self, _: Request) -> Response:
        return Response(self.telemetry.exposition(), media_type=_PROMETHEUS)

    async def _view(self) -> StateView:
        drainers = await self.drainers.known()
        out = {name: _drained(drainers.get(name)) for name in drained(self.board.desired)}
        members = self.sight.members()  # once: there may be a thousand, and everything below is about them
        drift = self.sight.drift(members)
        return StateView(
            generation=self.board.generation,
            desired=self.board.desired,
            applied=Applied(routers=self.routers.views(), store=self.sight.store, caches=tuple(self.sight.caches)),
            engines=tuple(_engine(member, out.get(member.name)) for member in members),
            pools=tuple(pool_view(workload, self.sight.watching) for workload in self.sight.machinery.workloads),
            drift=drift,
            mode=self.stance.mode,
            desired_file=self.stance.file,
            fields=await self.fields.fields(members, drift),
            comment_required=self.stance.comment_required,
            experiments={model: trial.id for model, trial in self.board.trials.items()},
        )

    async def _changed(self, dry_run: bool, changed: Changed) -> ChangeView:
        view = await self._view()
        return ChangeView(
            generation=view.generation,
            desired=view.desired,
            applied=view.applied,
            engines=view.engines,
            pools=view.pools,
            drift=view.drift,
            mode=view.mode,
            comment_required=view.comment_required,
            experiments=view.experiments,
            desired_file=view.desired_file,
            fields=view.fields,
            dry_run=dry_run,
            proposed=changed.decision.desired,
            diff=changed.decision.diff,
            effects=tuple(effect_view(effect) for effect in changed.decision.effects),
            pending=changed.pending,
            unheard=not dry_run and self.routers.unheard,
        )


def _drained(drainer: Drainer | None) -> DrainedView:
    return DrainedView() if drainer is None else DrainedView(by=drainer.actor, since=drainer.since)


def _engine(member: Member, out: DrainedView | None) -> EngineView:
    return EngineView(
        name=member.name,
        model=member.model,
        pool=member.pool,
        url=member.url,
        state=member.state,
        health=member.health,
        in_flight=member.in_flight,
        health_age_seconds=member.health_age_seconds,
        emulated=member.emulated,
        detail=member.detail,
        drained=None if member.state is State.DRAINING else out,
    )


def effect_view(effect: Effect) -> EffectView:
    """As it is told."""
    return EffectView(
        kind=effect.kind,
        sentence=effect.sentence,
        model=getattr(effect, "model", None),
        pool=getattr(effect, "pool", None),
        engines=getattr(effect, "engines", ()),
    )
