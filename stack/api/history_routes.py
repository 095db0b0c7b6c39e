"""What was: the generations that were in force, and the way back to one."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from stack.api import asking
from stack.api.contract import Body, Contract, Parameter, whole
from stack.api.errors import ApiError, json_response
from stack.api.history_schema import GenerationsView, GenerationView, KeptView
from stack.api.permit import Permitted
from stack.api.schema import AuditView
from stack.api.wish import kept
from stack.control.access import Role
from stack.control.ports import Generation, Store, StoreError
from stack.control.state import SCHEMA

_NUMBER = whole(1, 2**53)
_AUDIT = Contract(
    "The audit log, newest first.",
    {200: Body(AuditView)},
    parameters=(asking.LIMIT, Parameter("before", _NUMBER, "Only records with a sequence lower than this.")),
)
_LIST = Contract(
    "The generations that are kept, which is all of them, newest first, each with the change that brought it.",
    {200: Body(GenerationsView)},
    parameters=(asking.LIMIT, Parameter("before", _NUMBER, "Only generations lower than this one.")),
)
_ONE = Contract(
    "One generation whole: what was desired, as it was written then.",
    {200: Body(KeptView)},
    parameters=(Parameter("generation", _NUMBER, "Its number.", "path", True),),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRoutes:
    """Reads the store."""

    store: Store

    def routes(self) -> list[Permitted]:
        return [
            Permitted("GET", "/v1/audit", self.audit, needs=Role.VIEWER, contract=_AUDIT),
            Permitted("GET", "/v1/generations", self.every, needs=Role.VIEWER, contract=_LIST),
            Permitted("GET", "/v1/generations/{generation}", self.one, needs=Role.VIEWER, contract=_ONE),
        ]

    async def audit(self, request: Request) -> Response:
        asking.only(request, "limit", "before")
        try:
            return json_response(AuditView(records=await self.store.records(asking.limit(request), _before(request))))
        except StoreError as error:
            raise ApiError(503, "not_readable", f"the audit log cannot be read: {error}") from error

    async def every(self, request: Request) -> Response:
        asking.only(request, "limit", "before")
        found = await self._kept(asking.limit(request), _before(request))
        return json_response(GenerationsView(generations=tuple(map(_view, found))))

    async def one(self, request: Request) -> Response:
        asking.only(request)
        number = asking.path_number(request, "generation")
        document = await kept(self.store, number)
        (generation,) = await self._kept(1, number + 1)
        view = _view(generation)
        schema = document.pop("schema", SCHEMA)
        return json_response(KeptView(generation=view.generation, at=view.at, record=view.record, schema=schema, desired=document))

    async def _kept(self, limit: int, before: int | None) -> tuple[Generation, ...]:
        try:
            return await self.store.generations(limit, before)
        except StoreError as error:
            raise ApiError(503, "not_readable", f"the generations cannot be read: {error}") from error


def _before(request: Request) -> int | None:
    return asking.number(request, "before") if "before" in request.query_params else None


def _view(generation: Generation) -> GenerationView:
    return GenerationView(generation=generation.number, at=generation.at, record=generation.record)
