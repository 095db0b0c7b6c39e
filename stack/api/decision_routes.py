"""What people and their tools ask about decisions: the latest ones, one of them, and those that come."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from stack.api import asking
from stack.api.contract import FLAG, SECONDS, TEXT, Body, Contract, Parameter
from stack.api.decision_stream import READERS_MOST, DecisionStream, Feed
from stack.api.errors import ApiError, error_response, json_response
from stack.api.permit import STANDING, Permitted
from stack.api.ring import DecisionRing, Filter
from stack.api.schema import DecisionsView
from stack.control.access import Role
from stack.control.decision import DecisionRecord
from stack.control.ports import DecisionLog

_FILTERS = {
    "model": "Served name.",
    "path": "direct or dpd.",
    "strategy": "Of either pool.",
    "engine": "Of either pool.",
    "fallback": "A reason, or any: not served as configured.",
    "status": "2xx, 4xx, 5xx or aborted.",
}
_WANTED = (
    *(Parameter(name, TEXT, help) for name, help in _FILTERS.items()),
    Parameter("since", SECONDS, "No older than this, in Unix seconds."),
    Parameter("observed", FLAG, "Mirrored requests only, or routed ones only."),
)
_NEWEST = Contract("Recent routing decisions, newest first.", {200: Body(DecisionsView)}, parameters=(*_WANTED, asking.LIMIT))
_STREAM = Contract(
    "Decisions as they come, as server-sent events; each one's data is a DecisionRecord.",
    {200: Body(None, "text/event-stream")},
    parameters=(*_WANTED, Parameter("Last-Event-ID", TEXT, "Where the reader was.", "header")),
)
_ONE = Contract(
    "One decision, while control keeps it.",
    {200: Body(DecisionRecord)},
    parameters=(Parameter("id", TEXT, "The request's x-request-id.", "path", True),),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRoutes:
    """The API's part about decisions. `files` is where they are kept besides, None for nowhere."""

    ring: DecisionRing
    feed: Feed
    files: DecisionLog | None = None

    def routes(self) -> list[Permitted]:
        return [
            Permitted("GET", "/v1/decisions", self.decisions, needs=Role.VIEWER, contract=_NEWEST),
            Permitted("GET", "/v1/decisions/stream", _Streaming(self.feed), needs=Role.VIEWER, contract=_STREAM),
            Permitted("GET", "/v1/decisions/{id}", self.decision, needs=Role.VIEWER, contract=_ONE),
        ]

    async def decisions(self, request: Request) -> Response:
        """Newest first. The answer is put together from what is JSON already; DecisionsView reads it."""
        asking.only(request, *_FILTERS, "since", "observed", "limit")
        found = self.ring.newest(asking.limit(request), _wanted(request))
        files = None if self.files is None else self.files.state()
        reach = {"kept": len(self.ring), "oldest_at": self.ring.oldest_at}
        return json_response({"decisions": found, "dropped": self.ring.dropped, "files": files} | reach)

    async def decision(self, request: Request) -> Response:
        asking.only(request)
        name = request.path_params["id"]
        entry = self.ring.find(name)
        if entry is None:
            raise ApiError(404, "not_found", f"no decision {name!r} is kept: {_reach(self.ring)}", "id")
        return Response(entry.json, media_type="application/json")


class _Streaming:
    """An ASGI application, so that the stream itself says what is sent when; starlette would wait for a slow reader for ever."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._answer(Request(scope, receive))(scope, receive, send)

    def _answer(self, request: Request) -> ASGIApp:
        if self._feed.readers >= READERS_MOST:
            return error_response(503, "too_many_readers", f"{READERS_MOST} readers follow already")
        asking.only(request, *_FILTERS, "since", "observed")
        return DecisionStream(self._feed, _wanted(request), request.headers.get("last-event-id"), request.scope[STANDING])


def _wanted(request: Request) -> Filter:
    named = {name: request.query_params.get(name) or None for name in _FILTERS}
    observed = asking.flag(request, "observed") if "observed" in request.query_params else None
    return Filter(**named, since=asking.since(request), observed=observed)


def _reach(ring: DecisionRing) -> str:
    if ring.oldest_at is None:
        return "none has come since control began"
    began = datetime.fromtimestamp(ring.oldest_at, UTC)
    return f"the last {len(ring)} are, back to {began:%Y-%m-%d %H:%M:%S} UTC"
