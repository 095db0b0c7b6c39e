"""What people and their tools ask about changes that were not made: what recorded requests would have done."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response

from stack.api import asking
from stack.api.board import Board
from stack.api.contract import TEXT, Body, Contract, Parameter, whole
from stack.api.errors import ApiError, json_response
from stack.api.permit import Permitted
from stack.api.ring import DecisionRing, Filter
from stack.api.sight import Sight
from stack.control.access import Role
from stack.control.decision import DecisionRecord
from stack.control.state import THRESHOLD_MAX
from stack.control.what_if import WhatIf, what_if
from stack.fleet.engine import State
from stack.model.tier import Pool

RECORDS_MAX = 5_000  # the newest ones: some 0.3 s of work, beside the event loop
THRESHOLDS_MAX = 20
KEPT = (
    f"Control was asked about the decisions in its memory, at most the newest {RECORDS_MAX:,} of the model; a restart of control "
    "begins without any. A file of decisions can be asked about as well: kvdeck ctl what-if --file."
)
_THRESHOLDS = {"type": "array", "items": whole(0, THRESHOLD_MAX), "maxItems": THRESHOLDS_MAX}
_WHAT_IF = Contract(
    "What other thresholds would have done with the requests that control has decisions of: which way, what the prefill pool"
    " would carry, and where either path was quicker.",
    {200: Body(WhatIf)},
    parameters=(
        Parameter("threshold", _THRESHOLDS, "One to try, as often as there are any; without it a ladder of them."),
        Parameter("min_uncached_tokens", whole(0, THRESHOLD_MAX), "To try with them, in place of what is in force."),
        Parameter("model", TEXT, "Served name; needed where several are served."),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIfRoutes:
    """The API's part about thresholds to try."""

    board: Board
    ring: DecisionRing
    sight: Sight
    one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)  # the work is Python's: two at once take twice as long

    def routes(self) -> list[Permitted]:
        return [Permitted("GET", "/v1/what-if", self.what_if, needs=Role.VIEWER, contract=_WHAT_IF)]

    async def what_if(self, request: Request) -> Response:
        asking.only(request, "threshold", "min_uncached_tokens", "model")
        thresholds = _thresholds(request.query_params.getlist("threshold"))
        least = request.query_params.get("min_uncached_tokens")
        min_uncached = None if least is None else _tokens(least, "min_uncached_tokens")
        model = self._model(request.query_params.get("model"))
        engines = sum((one.model, one.pool, one.state) == (model, Pool.PREFILL, State.READY) for one in self.sight.members())
        dpd = self.board.desired.models[model].dpd
        async with self.one_at_a_time:
            raw = self.ring.newest(RECORDS_MAX, Filter(model=model))
            answer = await asyncio.to_thread(lambda: what_if(model, _records(raw), dpd, engines, thresholds, min_uncached))
        return json_response(structs.replace(answer, notes=(*answer.notes, KEPT)))

    def _model(self, asked: str | None) -> str:
        served = sorted(self.board.desired.models)
        if asked is None and len(served) == 1:
            return served[0]
        if asked not in served:
            said = "say which model" if asked is None else f"unknown model {asked[:80]!r}"
            raise ApiError(400, "bad_parameter", f"{said}; served: {', '.join(served)}", "model")
        return asked


def _records(raw: Sequence[msgspec.Raw]) -> list[DecisionRecord]:
    decoder = msgspec.json.Decoder(DecisionRecord)
    return [decoder.decode(one) for one in reversed(raw)]


def _thresholds(texts: Sequence[str]) -> list[int]:
    if len(texts) > THRESHOLDS_MAX:
        raise ApiError(400, "bad_parameter", f"at most {THRESHOLDS_MAX} thresholds at once", "threshold")
    return [_tokens(text, "threshold") for text in texts]


def _tokens(text: str, name: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 8 or int(text) > THRESHOLD_MAX:
        message = f"{name} is a whole number from 0 to {THRESHOLD_MAX}, not {text[:40]!r}"
        raise ApiError(400, "bad_parameter", message, name)
    return int(text)
