"""What people and their tools ask about alerts: which there are, and what to do about one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from stack.api import asking
from stack.api.alert_board import AlertBoard
from stack.api.alert_schema import AlertsView
from stack.api.contract import TEXT, Body, Contract, Parameter
from stack.api.errors import ApiError, json_response
from stack.api.permit import Permitted
from stack.control.access import Role

MARKDOWN = "text/markdown"
_ALERTS = Contract(
    "Alerts of kvdeck's rules that fire (from Alertmanager, with what holds them back) or are pending (from Prometheus). 404 "
    "`unconfigured` where control was told of neither, 503 `unreachable` where neither answers.",
    {200: Body(AlertsView)},
)
_RUNBOOK = Contract(
    "What to do about an alert, as Markdown.",
    {200: Body(None, MARKDOWN)},
    parameters=(Parameter("name", TEXT, "The alert's.", "path", True),),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRoutes:
    """`runbooks` are pages by the name of their alert."""

    alerts: AlertBoard
    runbooks: Mapping[str, str]

    def routes(self) -> list[Permitted]:
        return [
            Permitted("GET", "/v1/alerts", self.every, needs=Role.VIEWER, contract=_ALERTS),
            Permitted("GET", "/v1/runbooks/{name}", self.runbook, needs=Role.VIEWER, contract=_RUNBOOK),
        ]

    async def every(self, request: Request) -> Response:
        asking.only(request)
        return json_response(await self.alerts.alerts())

    async def runbook(self, request: Request) -> Response:
        asking.only(request)
        name = str(request.path_params["name"])
        if (page := self.runbooks.get(name)) is None:
            raise ApiError(404, "not_found", f"there is no runbook {name[:80]!r}", "name")
        return Response(page, media_type=MARKDOWN)
