"""Requests and answers about experiments, for both sides."""

from __future__ import annotations

import msgspec

from stack.api.schema import EffectView
from stack.control.diff import Change
from stack.control.experiment import Experiment
from stack.control.verdict import Finding


class ArmView(msgspec.Struct, frozen=True, kw_only=True):
    """One side: its requests so far, and its sessions that are counted; a request without a session is one."""

    requests: int
    sessions: int


class ExperimentView(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /v1/experiments/{id}`: what it found so far, or in all.

    `open_sessions` have begun and are not counted yet. `left_out` requests came when too many were open. `samples_left` and
    `seconds_left` are null where it has no such end. `not_taking_part` names live routers that do not tell the arms apart,
    whose requests are not counted; null when it is over.
    """

    experiment: Experiment
    control: ArmView
    candidate: ArmView
    findings: tuple[Finding, ...]
    open_sessions: int
    left_out: int
    samples_left: int | None = None
    seconds_left: float | None = None
    not_taking_part: tuple[str, ...] | None = None


class ExperimentsView(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /v1/experiments`: newest first."""

    experiments: tuple[Experiment, ...]


class BegunView(msgspec.Struct, frozen=True, kw_only=True):
    """`POST /v1/experiments`: what runs now, or on a dry run would.

    `diff` and `effects` are what the candidate's share of requests meets. `pending` names the live routers that have not
    acknowledged it yet (status 202); `unheard`: none reports, so nothing goes by it.
    """

    experiment: Experiment
    dry_run: bool
    diff: tuple[Change, ...]
    effects: tuple[EffectView, ...]
    pending: tuple[str, ...] = ()
    unheard: bool = False
