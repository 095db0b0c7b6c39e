"""The audit record: who asked for what, what it would do, and what came of it."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from stack.control.diff import Change


class Outcome(StrEnum):
    """What came of a change that somebody asked for, or of a step control took by itself."""

    APPLIED = "applied"
    DRY_RUN = "dry_run"
    REFUSED = "refused"
    STALE = "stale"
    INVALID = "invalid"
    STARTED = "started"  # control began with this desired state
    STEP = "step"  # control added, drained or removed an engine to reach the desired state
    FAILED = "failed"  # such a step failed; it is tried again
    EXPERIMENT = "experiment"  # an experiment began, went on after a restart, or ended
    SILENCE = "silence"  # alerts were silenced, or a silence was ended
    OTHER = "other"  # a newer release wrote it, and this one has no word for it

    @classmethod
    def _missing_(cls, _: object) -> Outcome:
        """The log outlives the release that wrote it: a line with an unknown word is told all the same."""
        return cls.OTHER


class AuditRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the audit log; lines are only ever added.

    `at` is Unix seconds; `generation` is the one in force afterwards, `rolled_back_to` the earlier one whose document it
    has again. `forced`: it was to pass the rail of one change of a pool in flight. `request` is the body as it was sent (clipped
    when long), None for control's own steps. `effects` are sentences. `sequence` is given by the store.
    """

    at: float
    actor: str
    outcome: Outcome
    generation: int
    remote: str | None = None
    comment: str | None = None
    request: str | None = None
    diff: tuple[Change, ...] = ()
    effects: tuple[str, ...] = ()
    error: str | None = None
    field: str | None = None
    rolled_back_to: int | None = None
    forced: bool = False
    sequence: int | None = None


class AuditLine(msgspec.Struct, frozen=True, kw_only=True):
    """A record among other lines of output, told at most once: `{"audit": {...}}`. Missing sequence numbers are lost lines."""

    audit: AuditRecord
