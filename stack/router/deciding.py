"""From a request to an errand: what it goes by, how its model is served, which engines it would take."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from stack.fleet.snapshot import Fleet
from stack.model.request import RouteRequest
from stack.router.admission import Admission
from stack.router.applied import Applied, Configuration, Fork, Served
from stack.router.drawing import Drawing
from stack.router.errand import Errand
from stack.router.fleet_keeper import FleetKeeper
from stack.router.identity import Identity
from stack.router.inquiry import Inquiry
from stack.router.lineup import Lineup
from stack.router.message import Request
from stack.router.openai import ParsedBody
from stack.router.phases import Timeline
from stack.router.planning import Candidates, plan_for
from stack.strategies.disaggregation import due


class Start(msgspec.Struct, frozen=True, gc=False):
    """What a request goes by from its first moment on; by `fleet` until it is decided, which may take a while.

    `unit`: see DecisionRecord.
    """

    identity: Identity
    applied: Applied
    fleet: Fleet
    unit: str | None = None


class Decider:
    """Decides, and carries nothing out."""

    def __init__(
        self,
        configuration: Configuration,
        keeper: FleetKeeper,
        lineup: Lineup,
        admission: Admission,
        inquiry: Inquiry,
        drawing: Drawing,
        clock: Callable[[], float],
        wall_clock: Callable[[], float],
        authorization: bytes | None = None,
    ) -> None:
        """`authorization` is sent to engines in place of the client's, when given."""
        self._configuration = configuration
        self._keeper = keeper
        self._lineup = lineup
        self._admission = admission
        self._inquiry = inquiry
        self._drawing = drawing
        self._clock = clock
        self._wall_clock = wall_clock
        self._authorization = authorization

    def start(self, request: Request) -> Start:
        """The configuration and the fleet of this moment."""
        return Start(Identity.of(request), self._configuration.current, self._keeper.fleet)

    def served(self, model: str, start: Start) -> Served | None:
        """How `model` is served, an adapter as the model it is of; None when it is not."""
        model = start.fleet.base(model)
        if model in start.applied.models:
            return start.applied.models[model]
        return self._configuration.default(model) if start.fleet.of_model(model) else None

    def drawn(self, request: Request, parsed: ParsedBody, fork: Fork, start: Start) -> tuple[Served, Start]:
        """The arm that the request is on, to be asked for once; and its start, which knows what was drawn."""
        served, unit = self._drawing.draw(request, parsed, start.identity.request_id, fork)
        return served, replace(start, unit=unit)

    async def errand(self, request: Request, parsed: ParsedBody, served: Served, start: Start) -> Errand:
        """The request with its plan, among the engines that are there when it is made. Raises EmptyPoolError, OverLimitError."""
        route = await self._inquiry.about(request, parsed, start.identity.request_id, start.fleet, served)
        if served.limits.bounded:
            await self._admission.enter(parsed.model, served.limits, route.model)
        # What began to leave in the meantime is ended as soon as it is quiet, and knows nothing of this request.
        return self._planned(request, parsed, served, replace(start, fleet=self._keeper.fleet), route)

    def at_once(self, request: Request, parsed: ParsedBody, served: Served, start: Start) -> Errand | None:
        """The same, where nothing has to be waited for; else None. Raises EmptyPoolError."""
        if served.limits.bounded:
            return None
        route = self._inquiry.at_once(request, parsed, start.identity.request_id, start.fleet, served)
        return None if route is None else self._planned(request, parsed, served, start, route)

    def _planned(self, request: Request, parsed: ParsedBody, served: Served, start: Start, route: RouteRequest) -> Errand:
        split = due(route.prompt_tokens, served.policy)
        candidates = Candidates.of(parsed.model, start.fleet, self._lineup, served.limits, both=split)
        plan = plan_for(parsed, route, candidates, served)
        return Errand(
            parsed=parsed,
            identity=start.identity,
            outbound=start.identity.outbound(request, self._authorization),
            fleet=start.fleet,
            served=served,
            generation=start.applied.generation,
            unit=start.unit,
            route=route,
            plan=plan,
            timeline=Timeline(received=request.received_at),
            candidates=candidates,
            decided_at=self._clock(),
            probed_at=self._keeper.probed_at.get(plan.decode.engine),
            at=self._wall_clock(),
            engine=plan.decode.engine,
        )
