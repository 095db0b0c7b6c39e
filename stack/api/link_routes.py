"""What routers ask: their configuration as soon as it changes; and what they bring: acknowledgements and decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from stack.api import asking
from stack.api.board import Board
from stack.api.contract import TEXT, Body, Contract, Parameter, whole
from stack.api.errors import ApiError, json_response
from stack.api.permit import Permitted, still
from stack.api.ring import DecisionRing
from stack.api.routers import Routers
from stack.control.access import Role
from stack.control.link import RouterConfig, RouterReport
from stack.control.skew import reported

WAIT_MOST_SECONDS = 60.0

ROUTER = Parameter("id", TEXT, "The router's name.", "path", True)
WAIT = Parameter("wait", whole(0, 3600), "Seconds to wait for a change; control cuts it to what it is ready to hold a request.")
_CONFIG = Contract(
    "A router's configuration as soon as its version differs from the router's; 204 when it did not within the wait.",
    {200: Body(RouterConfig), 204: None},
    parameters=(ROUTER, WAIT, Parameter("version", whole(-1, 2**53), "The one that the router has; -1 for none.")),
)
_REPORT = Contract("A router's acknowledgement and decisions.", {204: None}, Body(RouterReport), (ROUTER,))


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRoutes:
    """The routers' half of the API. `reported` is called when a report may let something go on."""

    board: Board
    routers: Routers
    ring: DecisionRing
    reported: Callable[[], None]

    def routes(self) -> list[Permitted]:
        return [
            Permitted("GET", "/v1/routers/{id}/config", self.config, needs=Role.VIEWER, contract=_CONFIG),
            Permitted("POST", "/v1/routers/{id}/report", self.report, needs=Role.ROUTER, contract=_REPORT),
        ]

    async def config(self, request: Request) -> Response:
        """200 with the configuration once its version differs from the router's, 204 when it did not within the wait."""
        changed = await self.board.changed(asking.version(request), asking.wait(request, WAIT_MOST_SECONDS))
        still(request)
        return json_response(self.board.config()) if changed else Response(status_code=204)

    async def report(self, request: Request) -> Response:
        report = _report(await asking.body(request, asking.REPORT_BYTES))
        if report.id != request.path_params["id"]:
            raise ApiError(400, "bad_report", "the report is not from the router in the path", "id")
        if report.version > self.board.version:  # nobody was told such a one: it acknowledges nothing
            report = msgspec.structs.replace(report, version=-1)
        self.routers.take(report)
        self.ring.take(report)
        if self.board.drains:
            self.reported()
        return Response(status_code=204)


def _report(body: bytes) -> RouterReport:
    try:
        return reported(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ApiError(400, "bad_report", f"this is no router's report: {error}") from error
