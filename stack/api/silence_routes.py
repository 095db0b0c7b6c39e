"""Silences: which there are, to make one, to end one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from stack.api import asking
from stack.api.alert_board import AlertBoard
from stack.api.alert_schema import SilencesView, SilenceView
from stack.api.board import Board
from stack.api.contract import FLAG, TEXT, Body, Contract, Parameter
from stack.api.errors import ApiError, json_response
from stack.api.noting import note
from stack.api.permit import Permitted
from stack.control.access import Role
from stack.control.alert import Alert
from stack.control.audit import AuditRecord, Outcome
from stack.control.ports import Store
from stack.control.silence import Silence, SilenceAsked, SilenceState, narrowed

BODY_BYTES = 64 << 10
_REFUSED = 422
_NAMED_MAX = 8  # alerts that the audit log names

_ACTOR = Parameter("X-Kvdeck-Actor", TEXT, "Who asks; only where control has no tokens.", "header")
_LIST = Contract("Silences that are not over and may hold back kvdeck's alerts.", {200: Body(SilencesView)})
_MAKE = Contract(
    "Silences alerts from now on. One that could fit others' alerts is narrowed to kvdeck's. In every mode of control: nothing "
    "about the fleet changes.",
    {200: Body(SilenceView)},
    Body(SilenceAsked),
    (Parameter("dry_run", FLAG, "Only say which alerts it would hold back now."), _ACTOR),
)
_END = Contract(
    "Ends a silence now; only one that can hold back nobody's alerts but kvdeck's.",
    {204: None},
    parameters=(
        Parameter("id", TEXT, "The silence's.", "path", True),
        Parameter("comment", TEXT, "Why; kept in the audit log."),
        _ACTOR,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SilenceRoutes:
    """Alertmanager keeps silences; the audit log keeps who made and ended them here."""

    alerts: AlertBoard
    board: Board
    store: Store

    def routes(self) -> list[Permitted]:
        return [
            Permitted("GET", "/v1/silences", self.every, needs=Role.VIEWER, contract=_LIST),
            Permitted("POST", "/v1/silences", self.make, needs=Role.OPERATOR, contract=_MAKE, steers=False),
            Permitted("DELETE", "/v1/silences/{id}", self.end, needs=Role.OPERATOR, contract=_END, steers=False),
        ]

    async def every(self, request: Request) -> Response:
        asking.only(request)
        return json_response(SilencesView(silences=await self.alerts.silences()))

    async def make(self, request: Request) -> Response:
        asking.only(request, "dry_run")
        asked, now = _asked(await asking.body(request, BODY_BYTES)), self.alerts.wall()
        silence = Silence(
            id="",
            state=SilenceState.ACTIVE,
            matchers=narrowed(asked.matchers),
            by=asking.actor(request),
            comment=asked.comment.strip(),
            starts=now,
            ends=now + asked.seconds,
            ours=True,
        )
        held = await self.alerts.held_back(silence.matchers)
        if asking.flag(request, "dry_run"):
            return json_response(SilenceView(silence=silence, alerts=held, dry_run=True))
        told = f"silenced {silence.words} for {asked.seconds / 60:.0f} min: {_names(held)}"
        try:
            made = await self.alerts.asking(
                lambda source: source.silence(silence.matchers, silence.starts, silence.ends, silence.by, silence.comment)
            )
        except ApiError as error:
            await self._note(
                request, Outcome.REFUSED if error.status == _REFUSED else Outcome.FAILED, silence.comment, told, error.message
            )
            raise
        await self._note(request, Outcome.SILENCE, silence.comment, told)
        return json_response(SilenceView(silence=msgspec.structs.replace(silence, id=made), alerts=held, dry_run=False))

    async def end(self, request: Request) -> Response:
        asking.only(request, "comment")
        wanted = request.path_params["id"]
        found = next((each for each in await self.alerts.silences() if each.id == wanted), None)
        if found is None:
            raise ApiError(404, "unknown_silence", "there is no silence of this id that is not over", "id")
        if not found.ours:
            raise ApiError(422, "not_ours", f"{found.words} holds back others' alerts, too: end it in Alertmanager", "id")
        told = f"ended the silence of {found.words} that {found.by} made"
        await self.alerts.asking(lambda source: source.expire(found.id))
        await self._note(request, Outcome.SILENCE, asking.comment(request), told)
        return Response(status_code=204)

    async def _note(self, request: Request, outcome: Outcome, comment: str | None, told: str, error: str | None = None) -> None:
        """Of what failed it is not known whether it was done."""
        record = AuditRecord(
            at=self.alerts.wall(),
            actor=asking.actor(request),
            outcome=outcome,
            generation=self.board.generation,
            remote=request.client.host if request.client else None,
            comment=comment,
            effects=(told,),
            error=error,
        )
        await note(self.store, record)


def _asked(body: bytes) -> SilenceAsked:
    try:
        asked = msgspec.json.decode(body, type=SilenceAsked)
    except msgspec.ValidationError as error:
        raise ApiError(422, "invalid_silence", str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ApiError(400, "invalid_json", f"the body is not JSON: {error}") from error
    if asked.flaw is not None:
        raise ApiError(422, "invalid_silence", asked.flaw)
    return asked


def _names(held: Sequence[Alert]) -> str:
    names = sorted({alert.name for alert in held})
    more = f" and {len(names) - _NAMED_MAX} more" if len(names) > _NAMED_MAX else ""
    return f"{', '.join(names[:_NAMED_MAX])}{more} fires" if names else "nothing that fires now"
