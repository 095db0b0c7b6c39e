"""One routed request while it is carried out: what was decided, and what has happened so far."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from stack.engines.answer_facts import NO_FACTS, AnswerFacts
from stack.engines.pd.base import Handover
from stack.fleet.snapshot import Fleet
from stack.model.placement import EnginePlacement
from stack.model.plan import Plan
from stack.model.request import RouteRequest
from stack.model.tier import Path
from stack.router.applied import Served
from stack.router.header_fields import NO_LINES, HeaderLines
from stack.router.identity import Identity
from stack.router.openai import ParsedBody
from stack.router.phases import Timeline
from stack.router.planning import Candidates, Computing
from stack.strategies.shadow import Shadow

_NO_BODY = ParsedBody(path="", model="", fields={})
_NO_FLEET = Fleet.of(())
GAPS_MAX = 100_000  # tokens of one answer whose gaps are kept until it is over


class Fallback(StrEnum):
    """Why a request was not carried out as planned, or not at all; a closed set, for it becomes a metric label.

    `decode_...`: another engine was asked, or the same one without the hand-over, because the first one could not be
    reached, died, talked no HTTP, or answered with an error of its own before the first byte. `transfer_lost`: the decode
    engine did not get the KV it was promised and computed the prompt itself. `handover_suspended`: the last ones of that prefill
    engine came to nothing, so none was asked for.
    Beside these stand the reasons of plans and choices, and the words of a HandoverError.
    """

    PREFILL_UNREACHABLE = "prefill_unreachable"
    PREFILL_TIMEOUT = "prefill_timeout"
    PREFILL_DIED = "prefill_died"
    PREFILL_BROKEN = "prefill_broken"
    PREFILL_REFUSED = "prefill_refused"
    HANDOVER_LATE = "handover_late"
    HANDOVER_SUSPENDED = "handover_suspended"
    TRANSFER_LOST = "transfer_lost"
    DECODE_UNREACHABLE = "decode_unreachable"
    DECODE_DIED = "decode_died"
    DECODE_BROKEN = "decode_broken"
    DECODE_ERROR = "decode_error"
    RETRY_BUDGET = "retry_budget"
    POISONOUS_REQUEST = "poisonous_request"


class Errand(msgspec.Struct, gc=False, eq=False, kw_only=True):
    """`served` and `generation` are those of the request's start, `fleet` that of its decision; they hold until its end.

    `engine` is the one asked for the answer last, `prefill_engine` the one whose KV it uses, by `handover`. `status` is
    what the client was given, or what it should have been where an answer broke after its status went out. `whole`: the
    last event of a stream went out, so a client that leaves then leaves content. `decided_at`, and `probed_at` of the chosen
    decode engine, are on the timeline's clock. `observed`: another gateway carried it out, and this router only looked on.
    """

    parsed: ParsedBody
    identity: Identity
    outbound: HeaderLines
    fleet: Fleet
    served: Served
    generation: int
    unit: str | None = None
    route: RouteRequest
    plan: Plan
    timeline: Timeline
    candidates: Candidates
    at: float
    decided_at: float
    probed_at: float | None
    engine: str
    prefill_engine: str | None = None
    fallbacks: list[str] = []
    facts: AnswerFacts = NO_FACTS
    prefill_facts: AnswerFacts = NO_FACTS
    handover: Handover | None = None
    shadows: tuple[Shadow, ...] = ()
    gaps: list[float] = []
    streamed: bool = False
    whole: bool = False
    observed: bool = False
    status: int = 0
    error: str | None = None

    @property
    def path(self) -> Path:
        """The way it went, which after a fallback is not the planned one."""
        return Path.DIRECT if self.prefill_engine is None else Path.DPD

    @property
    def computing(self) -> Computing:
        """The planned choice of the engine that computes the prompt."""
        return Computing.of(self.plan, self.candidates)

    @property
    def fallback(self) -> str | None:
        """The last reason: the one that explains how the answer came about."""
        reasons = self.reasons
        return reasons[-1] if reasons else None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Everything that was not as the configuration asks for, in order: the strategies' choices, the plan, the legs."""
        plan = self.plan
        if plan.prefill is None and plan.decode.fallback is None and plan.fallback is None and not self.fallbacks:
            return ()
        choices = (plan.decode,) if plan.prefill is None else (plan.decode, plan.prefill)
        planned = (*(choice.fallback for choice in choices), plan.fallback)
        return tuple(dict.fromkeys(reason for reason in (*planned, *self.fallbacks) if reason is not None))

    @property
    def began(self) -> bool:
        """It is known when the answer began: seen in the stream, or the engine says so. A whole answer alone does not tell."""
        return self.timeline.first_token is not None or self.facts.first_token_s is not None

    @property
    def remote_cached_tokens(self) -> int | None:
        """What the prefill engine found in its caches; None where no hand-over of its was used."""
        return None if self.handover is None else self.handover.remote_cached_tokens

    def note(self, reason: str) -> None:
        """Not as it should have been, though the way it took stands."""
        self.fallbacks.append(reason)

    def fall_back(self, reason: str) -> None:
        """From here on without the prefill leg's result."""
        self.fallbacks.append(reason)
        self.prefill_engine = None
        self.handover = None
        self.timeline.forget_prefill()

    def let_go(self) -> None:
        """It is over: keep what its record tells, and no prompt, bodies or headers."""
        self.parsed, self.outbound, self.fleet = _NO_BODY, NO_LINES, _NO_FLEET
        if self.gaps:
            self.gaps = []
        if self.handover is not None:
            self.handover = replace(self.handover, params={})

    def uncached(self, engine: str) -> int:
        """Prompt tokens that `engine` has to compute, as far as is known: its choice's prediction, else the placement's."""
        plan = self.plan
        choice = plan.decode if plan.decode.engine == engine else plan.prefill
        expected = choice.expected_cached_tokens if choice is not None and choice.engine == engine else None
        if expected is None and (held := self.held(engine)) is not None:
            expected = held.cached_tokens
        return max(self.route.prompt_tokens - (expected or 0), 1)

    def held(self, engine: str) -> EnginePlacement | None:
        """Where the prompt's KV lay at `engine` when the request came; None when that is not known."""
        return self.route.placement.engines.get(engine)

    def url(self, engine: str) -> str:
        """Where `engine` was when the request came."""
        return self.fleet.members[engine].engine.target.url
