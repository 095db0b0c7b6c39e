"""What routers and control say to each other: the document a router applies, the report it sends back.

A router long-polls `GET /v1/routers/{id}/config?version=V&wait=S` (200 with RouterConfig as soon as
control's version differs from V, else 204 after S seconds) and posts RouterReport to `POST /v1/routers/{id}/report`
about once a second and at once after applying. Control restarting changes nothing for a router: it goes on
with what it has. A report without an answer is sent again, and may have been taken all the same: its decisions are numbered.

Either may be one release older than the other (stack.control.skew): a router goes without the fields it does not know and says
which, and refuses whole what it does not understand; control sees both as drift.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from stack.control.decision import DecisionRecord
from stack.control.state import SCHEMA, ModelState

RouterId = Annotated[str, msgspec.Meta(pattern=r"^[!-~]{1,128}(?!\n)$")]  # "$" alone would take a line break behind it
RouterLife = Annotated[str, msgspec.Meta(pattern=r"^[!-~]{1,64}(?!\n)$")]
Version = Annotated[int, msgspec.Meta(ge=-1, le=2**53)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """What a share of a model's sessions goes by while experiment `id` runs. The others go by what is in force."""

    id: str
    share: float
    candidate: ModelState


class RouterConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a router applies, whole. `draining` names engines that take no new requests.

    `version` changes whenever anything in the document does; `generation` only with the desired state.
    `others`: more routers than one report, so that what others sent to the engines is not known here.
    `experiments` are keyed by model, one at a time. A router that does not know them, or a strategy of theirs, goes by `models`
    alone: its report does not name them. A router whose schema is below `requires` refuses the document: to go without what it
    does not know would not be what is desired.
    """

    version: int
    generation: int
    models: dict[str, ModelState]
    draining: tuple[str, ...] = ()
    experiments: dict[str, Trial] = {}
    others: bool = False
    schema: int = SCHEMA
    requires: int = 1


class EngineReport(msgspec.Struct, frozen=True, kw_only=True):
    """One engine as one router sees it. `health` is ready, not_ready or unknown.

    `health_age_seconds` is how long ago it was last looked at, null when it never was. `placement` says what is known of where KV
    lies at it: whole, partial or unknown, or why no prompt of its model can be placed; null by a router that does not tell.
    """

    name: str
    health: str
    in_flight: Count
    detail: str = ""
    health_age_seconds: Annotated[float, msgspec.Meta(ge=0)] | None = None
    placement: str | None = None


class RefusedConfig(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration that a router does not apply, and why; it goes on with the one before."""

    version: Version
    generation: Count
    reason: str


class RouterReport(msgspec.Struct, frozen=True, kw_only=True):
    """Acknowledges a version, -1 for none, and brings decisions. `dropped` counts records lost since the last report answered.

    Decisions are numbered from 0 in the `life` of a router's process: the first one here is number `first`, and null stands for
    one that cannot be told. A router of an older release tells no life: whether they came before, nobody knows.
    `experiments` are the ids of those whose arms it tells apart, `ignored` are paths of fields of the applied configuration that
    this router does not know.
    """

    id: RouterId
    version: Version
    generation: Count
    engines: tuple[EngineReport, ...] = ()
    decisions: tuple[DecisionRecord | None, ...] = ()
    dropped: Count = 0
    experiments: tuple[str, ...] = ()
    schema: int = SCHEMA
    ignored: tuple[str, ...] = ()
    refused: RefusedConfig | None = None
    life: RouterLife | None = None
    first: Count = 0
