"""An experiment: a change that a share of a model's sessions tries before all do, and what is asked of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import msgspec

from stack.control.diff import Change
from stack.control.link import Trial
from stack.control.refusal import RefusedError
from stack.control.state import ModelState
from stack.control.wrong import refusal_of

SAMPLES_LEAST, SAMPLES_MAX = 200, 50_000
DURATION_LEAST, DURATION_MAX = 60.0, 7 * 86_400.0


class Measure(StrEnum):
    """What arms are compared by, as stack.control.sample tells it of a request; `failed` is a share of them."""

    TTFT = "ttft"
    GAP = "gap"
    FAILED = "failed"


class Stage(StrEnum):
    """How far it has come; all but the first are ends."""

    RUNNING = "running"
    PROMOTED = "promoted"  # the goal is proven: the candidate is in force
    STOPPED = "stopped"  # not proven by the end, or the candidate can no longer be put in force
    ROLLED_BACK = "rolled_back"  # a guardrail is proven to be broken
    ABORTED = "aborted"  # by somebody, or by their change of the same model


Tolerance = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class Guardrails(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much worse the candidate may be before it is rolled back; null does not guard.

    `ttft` and `gap`: a part of the control arm's, 0.1 is a tenth longer. `failed`: a difference, 0.01 is one more in a hundred.
    """

    ttft: Tolerance | None = 0.1
    gap: Tolerance | None = 0.1
    failed: Tolerance | None = 0.01


class Goal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What has to be proven before the candidate is promoted: that `measure` is better by more than `by`, as in Guardrails."""

    measure: Measure = Measure.TTFT
    by: Annotated[float, msgspec.Meta(ge=0.0, le=0.9)] = 0.0


class Sessions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a session counts, once: after so many `requests`, or when it was quiet for `idle_seconds`; what comes later does not.

    Long enough for what a change does to later requests of a session, short enough to hear of a bad one soon.
    """

    requests: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 8
    idle_seconds: Annotated[float, msgspec.Meta(ge=1, le=3_600)] = 60.0


class Proposal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /v1/experiments`. `candidate` is a merge patch as for /v1/state, of what routers decide by alone.

    `share` of the sessions try it. It ends after `samples` sessions of both arms together (a request without a session is one),
    or after `duration_seconds`, whichever comes first; one of the two is needed. `error` is the probability, at most, with which
    a candidate that is not better is promoted, and one within a guardrail is rolled back by it.
    """

    candidate: dict[str, Any]
    share: Annotated[float, msgspec.Meta(ge=0.01, le=0.9)] = 0.2
    samples: Annotated[int, msgspec.Meta(ge=SAMPLES_LEAST, le=SAMPLES_MAX)] | None = None
    duration_seconds: Annotated[float, msgspec.Meta(ge=DURATION_LEAST, le=DURATION_MAX)] | None = None
    goal: Goal = Goal()
    guardrails: Guardrails = Guardrails()
    sessions: Sessions = Sessions()
    error: Annotated[float, msgspec.Meta(ge=0.001, le=0.2)] = 0.05


def proposed(document: object) -> Proposal:
    """`document`, decoded JSON, as a proposal. Raises RefusedError, which names the field."""
    try:
        proposal = msgspec.convert(document, Proposal)
    except msgspec.ValidationError as error:
        raise refusal_of(error, document, Proposal) from error
    if proposal.samples is None and proposal.duration_seconds is None:
        raise RefusedError("samples", "an experiment needs an end: say samples, duration_seconds, or both")
    return proposal


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """One experiment on `model`, begun on `generation` by `actor`. Times are Unix seconds.

    `control` is how the model was served when it began, `candidate` how it would be, `diff` what is between them. `reason` says
    why it ended, `promoted` the generation that it then became.
    `resumed` counts how often control came back while it ran.
    """

    id: str
    model: str
    generation: int
    proposal: Proposal
    control: ModelState
    candidate: ModelState
    diff: tuple[Change, ...]
    actor: str
    began_at: float
    comment: str | None = None
    stage: Stage = Stage.RUNNING
    ended_at: float | None = None
    reason: str | None = None
    promoted: int | None = None
    resumed: int = 0

    @property
    def running(self) -> bool:
        return self.stage is Stage.RUNNING

    @property
    def own_actor(self) -> str:
        """Who does what it does by itself, in the audit log."""
        return f"experiment:{self.id}"

    @property
    def trial(self) -> Trial:
        """What routers are told of it."""
        return Trial(id=self.id, share=self.proposal.share, candidate=self.candidate)

    def left(self, counted: int, now: float) -> tuple[int | None, float | None]:
        """How many samples and seconds there are left; None where there is no such end."""
        samples, seconds = self.proposal.samples, self.proposal.duration_seconds
        return (
            None if samples is None else max(samples - counted, 0),
            None if seconds is None else max(self.began_at + seconds - now, 0.0),
        )
