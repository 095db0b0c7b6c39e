"""What people and their tools ask about the fleet's silent preconditions."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from stack.api import asking
from stack.api.contract import FLAG, Body, Contract, Parameter
from stack.api.doctor_schema import DoctorView
from stack.api.errors import ApiError, json_response
from stack.api.examining import Examining
from stack.api.permit import Permitted
from stack.control.access import Role

WAIT_SECONDS = 3.0  # a small fleet's examination ends by then; the client of a large one asks again
_DOCTOR = Contract(
    "What `kvdeck doctor` finds about control's own fleet: the last examination, with its age; the first is made when somebody "
    "asks. `running_seconds` says that one is under way: ask again.",
    {200: Body(DoctorView)},
    parameters=(Parameter("again", FLAG, "Examine anew; one examination at a time."),),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorRoutes:
    """`examining` is None where nobody examines."""

    examining: Examining | None

    def routes(self) -> list[Permitted]:
        return [Permitted("GET", "/v1/doctor", self.doctor, needs=Role.VIEWER, contract=_DOCTOR)]

    async def doctor(self, request: Request) -> Response:
        asking.only(request, "again")
        again = asking.flag(request, "again")
        if self.examining is None:
            raise ApiError(404, "unconfigured", "this control examines nothing")
        return json_response(await self.examining.view(again=again, wait_seconds=WAIT_SECONDS))
