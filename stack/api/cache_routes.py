"""Control in the place of LMCache's coordinator: what its servers report, and what routers hear of it."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from stack.api import asking
from stack.api.cache_board import CacheBoard, TooManyServersError
from stack.api.contract import TEXT, Body, Contract, Parameter, whole
from stack.api.errors import ApiError, json_response
from stack.api.link_routes import ROUTER, WAIT
from stack.api.permit import Permitted, still
from stack.control.access import Role
from stack.control.reporting_path import PREFIX
from stack.engines.lmcache_events import CacheEventFormatError, batches, registration

REPORT_BYTES = 64 << 20  # a chunk of 256 tokens takes 2 kB with its token ids; servers flush every second
WAIT_MOST_SECONDS = 30.0

_SERVER = Parameter("server", TEXT, "The LMCache server's instance id.", "path", True)
_CACHE = Contract(
    "What cache servers reported after `since`, in MessagePack; all of it for another `epoch`.",
    {200: Body(None, "application/msgpack")},
    parameters=(
        ROUTER,
        WAIT,
        Parameter("epoch", whole(0, 2**53), "The life of control that the reader knows."),
        Parameter("since", whole(0, 2**53), "The last version that the reader has."),
    ),
)
_EVENTS = Contract("What a cache server stored and evicted, as LMCache sends it to its coordinator.", {200: Body(None)}, Body(None))
_REGISTER = Contract("A cache server begins.", {200: Body(None)}, Body(None))
_HEARTBEAT = Contract("A cache server is there; 404 makes it register again.", {200: Body(None)}, parameters=(_SERVER,))
_LEAVE = Contract("A cache server ends.", {204: None}, parameters=(_SERVER,))


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRoutes:
    """Servers report as routers do, whose secret their path has where there are tokens."""

    board: CacheBoard

    def routes(self) -> list[Permitted]:
        return [
            Permitted("GET", "/v1/routers/{id}/cache", self.cache, needs=Role.VIEWER, contract=_CACHE),
            Permitted("POST", f"{PREFIX}/events", self.events, needs=Role.ROUTER, contract=_EVENTS),
            Permitted("POST", f"{PREFIX}/instances", self.register, needs=Role.ROUTER, contract=_REGISTER),
            Permitted("PUT", f"{PREFIX}/instances/{{server}}/heartbeat", self.heartbeat, needs=Role.ROUTER, contract=_HEARTBEAT),
            Permitted("DELETE", f"{PREFIX}/instances/{{server}}", self.leave, needs=Role.ROUTER, contract=_LEAVE),
        ]

    async def cache(self, request: Request) -> Response:
        """A CacheUpdate in msgpack: there may be many chunks, and their names are bytes."""
        epoch, since = asking.number(request, "epoch"), asking.number(request, "since")
        update = await self.board.update(epoch, since, asking.wait(request, WAIT_MOST_SECONDS))
        still(request)
        return Response(msgspec.msgpack.encode(update), media_type="application/msgpack")

    async def events(self, request: Request) -> Response:
        try:
            reported = batches(await asking.body(request, REPORT_BYTES))
        except CacheEventFormatError as error:
            raise ApiError(422, "bad_report", f"this is no cache server's report: {error}") from error
        applied = self.board.report(reported)
        return json_response({"applied": applied, "duplicates": len(reported) - applied, "stale": 0})

    async def register(self, request: Request) -> Response:
        try:
            server = registration(await asking.body(request, asking.PATCH_BYTES))
            known = self.board.register(server)
        except CacheEventFormatError as error:
            raise ApiError(422, "bad_registration", f"this is no cache server's registration: {error}") from error
        except TooManyServersError as error:
            raise ApiError(429, "too_many", str(error)) from error
        return json_response({"instance_id": server.instance_id, "re_registered": known})

    async def heartbeat(self, request: Request) -> Response:
        """404 makes a server register again: control may have begun anew."""
        server = request.path_params["server"]
        if not self.board.beat(server):
            raise ApiError(404, "not_found", "this cache server is not registered")
        return json_response({"instance_id": server})

    async def leave(self, request: Request) -> Response:
        self.board.leave(request.path_params["server"])
        return Response(status_code=204)
