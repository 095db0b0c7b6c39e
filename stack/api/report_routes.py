"""What people and their tools ask about changes that were made: what came of them."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from stack.api import asking
from stack.api.board import Board
from stack.api.contract import Body, Contract, Parameter, whole
from stack.api.errors import ApiError, json_response
from stack.api.permit import Permitted
from stack.api.reporter import Reporter
from stack.api.schema import ReportView
from stack.control.access import Role
from stack.control.ports import StoreError

GENERATION_MAX = 2**53
_NONE = "it changed nothing but prices, or control began with it or crashed within a minute of it, or it is one of long ago"


_REPORT = Contract(
    "What a change came to: requests that it decided beside those before it, with intervals. 404 where none is kept.",
    {200: Body(ReportView)},
    parameters=(Parameter("generation", whole(0, GENERATION_MAX), "That the change made.", "path", True),),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRoutes:
    """The API's part about what changes came to."""

    board: Board
    reporter: Reporter

    def routes(self) -> list[Permitted]:
        return [Permitted("GET", "/v1/reports/{generation}", self.report, needs=Role.VIEWER, contract=_REPORT)]

    async def report(self, request: Request) -> Response:
        asking.only(request)
        generation = _generation(request.path_params["generation"])
        if not 1 <= generation <= self.board.generation:
            raise ApiError(
                404, "not_found", f"there is no generation {generation}: the state is at {self.board.generation}", "generation"
            )
        try:
            reports = await self.reporter.of(generation)
        except StoreError as error:
            raise ApiError(503, "not_readable", f"the reports cannot be read: {error}") from error
        if not reports:
            raise ApiError(404, "not_found", f"nothing was measured of generation {generation}: {_NONE}", "generation")
        return json_response(ReportView(generation=generation, reports=reports))


def _generation(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 16 or int(text) > GENERATION_MAX:
        raise ApiError(400, "bad_parameter", f"a generation is a whole number, not {text[:40]!r}", "generation")
    return int(text)
