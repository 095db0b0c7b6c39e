"""Whoever asks is told who they are."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from stack.api import asking
from stack.api.contract import Body, Contract
from stack.api.errors import json_response
from stack.api.permit import GRANT, Permitted
from stack.api.self_schema import SelfView
from stack.control.access import ANYBODY, Grant, Role

_SELF = Contract("Name and role of the token that the request came with, and whether control has tokens.", {200: Body(SelfView)})


def self_routes() -> list[Permitted]:
    """They know what the guard knows."""
    return [Permitted("GET", "/v1/self", _myself, needs=Role.VIEWER, contract=_SELF)]


async def _myself(request: Request) -> Response:
    asking.only(request)
    grant: Grant = request.scope[GRANT]
    return json_response(SelfView(name=grant.name, role=grant.role, tokens=grant is not ANYBODY))
