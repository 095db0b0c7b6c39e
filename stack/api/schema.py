"""Every request and answer of the control API, for both sides of it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from stack.api.pool_views import PoolView
from stack.control.audit import AuditRecord
from stack.control.decision import DecisionRecord
from stack.control.diff import Change
from stack.control.fields import FieldState
from stack.control.link import RefusedConfig
from stack.control.mode import Mode
from stack.control.ports import LogState
from stack.control.report import Report
from stack.control.state import SCHEMA, Desired
from stack.control.tiers import NO_STORE, CacheSeen, StoreSeen
from stack.fleet.engine import Health, State
from stack.model.tier import Pool


class RouterView(msgspec.Struct, frozen=True, kw_only=True):
    """The generation one router said it applies, and how long ago it said so.

    A router that has not reported for some seconds is not `live`: nothing waits for it any more. One of another release goes
    without the fields in `ignored`, and goes on with an older generation than the one `refused`.
    """

    id: str
    generation: int
    age_seconds: float
    live: bool = True
    schema: int = SCHEMA
    ignored: tuple[str, ...] = ()
    refused: RefusedConfig | None = None


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """What runs, as opposed to what is wanted. `store` is the one behind LMCache, `caches` are its servers."""

    routers: tuple[RouterView, ...] = ()
    store: StoreSeen = NO_STORE
    caches: tuple[CacheSeen, ...] = ()


class DrainedView(msgspec.Struct, frozen=True, kw_only=True):
    """That an operator took an engine out of rotation: who and when (Unix seconds), both null when the audit log does not tell."""

    by: str | None = None
    since: float | None = None

    def words(self, clock: Callable[[float], str]) -> str:
        """For people; `clock` writes a time."""
        since = "" if self.since is None else f" since {clock(self.since)}"
        return f"drained by {self.by or 'unknown'}{since}"


class EngineView(msgspec.Struct, frozen=True, kw_only=True):
    """One engine. `in_flight` sums over the live routers, null when none of them knows; `url` is null until it listens.

    `health_age_seconds` is how long ago a router last looked, the one that looked least lately; null when none did.
    `drained` is null for engines in rotation and for those that leave.
    """

    name: str
    model: str
    pool: Pool
    url: str | None
    state: State
    health: Health
    in_flight: int | None
    health_age_seconds: float | None = None
    emulated: bool = False
    detail: str = ""
    drained: DrainedView | None = None

    def remarks(self, clock: Callable[[float], str]) -> str:
        """What else there is to say of it, for people; `clock` writes a time."""
        return "; ".join(filter(None, [self.detail, "" if self.drained is None else self.drained.words(clock)]))


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not yet as desired, since when (Unix seconds), and why."""

    field: str
    reason: str
    since: float


class StateView(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /v1/state`: desired against applied, field by field in `fields`.

    `schema` counts up with releases that add to the desired state. `mode` is control's; where it is declarative, `desired_file`
    says what is desired. `comment_required`: a change without a comment is refused. `experiments` run, ids by model.
    """

    generation: int
    desired: Desired
    applied: Applied
    engines: tuple[EngineView, ...] = ()
    pools: tuple[PoolView, ...] = ()
    drift: tuple[Drift, ...] = ()
    fields: tuple[FieldState, ...] = ()
    schema: int = SCHEMA
    mode: Mode = Mode.LIVE
    desired_file: str | None = None
    comment_required: bool = False
    experiments: dict[str, str] = {}


class EffectView(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a change does, as a sentence for people and as fields for programs. `model` is null for what all share."""

    kind: str
    sentence: str
    model: str | None = None
    pool: Pool | None = None
    engines: tuple[str, ...] = ()


class ChangeView(StateView, frozen=True, kw_only=True):
    """`PATCH /v1/state` and `POST /v1/rollback`: the state after the change, and what the change was.

    On a dry run `desired` and `generation` are those in force: nothing was applied, `proposed` is what would be. `pending`
    names the live routers that have not acknowledged the change yet (status 202); `unheard`: none reports, nothing goes by it.
    """

    dry_run: bool
    proposed: Desired
    diff: tuple[Change, ...] = ()
    effects: tuple[EffectView, ...] = ()
    pending: tuple[str, ...] = ()
    unheard: bool = False


class DecisionsView(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /v1/decisions`: newest first. `dropped` records never arrived; `files`: how keeping them in files goes, null for not.

    Control remembers the latest `kept` decisions, filtered or not, the oldest of `oldest_at` (Unix seconds, null without any).
    """

    decisions: tuple[DecisionRecord, ...]
    dropped: int
    files: LogState | None = None
    kept: int | None = None  # null from a control that does not tell
    oldest_at: float | None = None


class AuditView(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /v1/audit`: newest first."""

    records: tuple[AuditRecord, ...]


class ReportView(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /v1/reports/{generation}`: a report for each model that the change touched."""

    generation: int
    reports: tuple[Report, ...]


class HealthView(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /health`."""

    status: str
    generation: int


class ErrorDetail(msgspec.Struct, frozen=True, kw_only=True):
    """`code` is a word for programs, `field` the dotted path of what is wrong, null when it is no field."""

    code: str
    message: str
    field: str | None = None


class ErrorView(msgspec.Struct, frozen=True, kw_only=True):
    """The body of every answer that is not a success."""

    error: ErrorDetail
