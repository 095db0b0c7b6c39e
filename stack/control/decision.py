"""What is kept of one routed request: enough to explain it, to hold it against what came true, and to decide it again."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

CANDIDATES_KEPT = 16  # of a pool, beside the chosen one: in a fleet of hundreds all of them would outweigh the rest
NO_PARTS: Mapping[str, float] = {}
CLIENT_LEFT = 499  # as nginx has it: the client closed the connection before the answer was whole


class Arm(StrEnum):
    """The sides of an experiment: what is in force, and what is tried."""

    CONTROL = "control"
    CANDIDATE = "candidate"


class Candidate(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An engine that was routable when the decision was made, as it was then.

    `cached_tokens` of the prompt it was believed to hold, over all tiers; None when nothing was known, and at least so many
    when there are `doubts`: tiers that nobody can tell (all) about, with the reason; of several data-parallel ranks it is the
    best one's. `scores` are the strategy's parts.
    """

    engine: str
    in_flight: int = 0
    cached_tokens: int | None = None
    doubts: tuple[str, ...] = ()
    scores: Mapping[str, float] = NO_PARTS


class Selection(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One pool's choice. `engine` is the one chosen, which after a failure is not the one that answered.

    `decided_by` names the strategy that decided in place of `strategy`, because of `fallback`. `candidates` are the best
    CANDIDATES_KEPT and the chosen one, best first (by the score part `ranked_by`, smallest first; else by load), and `omitted`
    counts the rest. `expected_cached_tokens` and `predicted_ttft_seconds` are what was expected of the chosen one.
    """

    strategy: str
    engine: str
    reason: str
    decided_by: str | None = None
    fallback: str | None = None
    expected_cached_tokens: int | None = None
    predicted_ttft_seconds: float | None = None
    ranked_by: str | None = None
    candidates: tuple[Candidate, ...] = ()
    omitted: int = 0


class ShadowChoice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What another strategy would have chosen to compute the prompt, over the same inputs.

    `gained_tokens` more of the prompt are believed to be cached at its engine, the first token was predicted `gained_seconds`
    earlier there; both are negative when the choice made was the better one, 0 when the two agree, None when not known.
    """

    strategy: str
    engine: str
    reason: str
    agrees: bool
    gained_tokens: int | None = None
    gained_seconds: float | None = None


class DecisionRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One routed request: what was known, chosen, predicted and measured. Never any prompt text.

    Times are seconds, `at` is Unix time; None, and what is left out, is not known. `decode` and `prefill` are what was
    chosen, `engine` and `prefill_engine` those whose work the answer is, `path` the way it went. `compared` are the numbers
    that decided the path, such as "1,830 >= 512". `session` is a keyed hash. The ages are those of what was known when it
    was decided: since the chosen engine was last probed, since it last told of its cache (and each lower tier's owner of what is
    there), and since the quietest candidate
    did. `adapter` is the LoRA adapter of `model` that was asked for by its name.
    `observed`: another gateway carried the request out, and this is what would have been done; there is no outcome.
    `fallbacks` are all that was not as the configuration asks for, in order.
    `arm` is the side of `experiment` that the request was on, None where none ran. `unit` is what was drawn into it: a keyed
    hash of the request's session, None where the request itself was, which has none.

    `cached_tokens` is what the engine that answered says it did not compute: its own cache, the tiers and a prefill peer
    in one number. `prefill_cached_tokens` is what the prefill engine had; `peer_cached_tokens` what is left of
    `cached_tokens` when the decode engine held what it was believed to hold. `phases` sum to `total_seconds`.

    The last figures are about the engine that computed the prompt, the prefill engine where there were two legs.
    `regret_tokens` is what the best candidate was believed to hold beyond what the chosen one was; `index_error_tokens` is
    what was predicted to be cached minus what was; `engine_ttft_seconds` runs from handing it the request to its first
    token, and `ttft_error_seconds` is its prediction minus that.
    """

    request_id: str
    at: float
    generation: int
    model: str
    adapter: str | None = None
    observed: bool = False
    session: str | None = None
    prompt_tokens: int
    tokens_exact: bool
    unknown_placement: str | None = None
    probe_age_seconds: float | None = None
    placement_age_seconds: float | None = None
    tier_age_seconds: Mapping[str, float] = {}
    oldest_placement_seconds: float | None = None
    path: str
    path_reason: str = ""
    compared: str = ""
    threshold: int
    decode: Selection
    prefill: Selection | None = None
    fallbacks: tuple[str, ...] = ()
    experiment: str | None = None
    arm: Arm | None = None
    unit: str | None = None
    engine: str
    prefill_engine: str | None = None
    status: int
    error: str | None = None
    streamed: bool = False
    cached_tokens: int | None = None
    prefill_cached_tokens: int | None = None
    peer_cached_tokens: int | None = None
    output_tokens: int | None = None
    ttft_seconds: float | None = None
    total_seconds: float | None = None
    phases: Mapping[str, float] = {}
    regret_tokens: int | None = None
    index_error_tokens: int | None = None
    engine_ttft_seconds: float | None = None
    ttft_error_seconds: float | None = None
    shadows: tuple[ShadowChoice, ...] = ()

    @property
    def requested(self) -> str:
        """The name that the client asked by."""
        return self.adapter or self.model

    @property
    def computing(self) -> Selection:
        """The choice of the engine that was to compute the prompt."""
        return self.decode if self.prefill is None else self.prefill


def status_class(status: int) -> str:
    """The class of an HTTP status as labels and filters name it: 2xx, 4xx, 5xx, or aborted when the client left."""
    return "aborted" if status == CLIENT_LEFT else f"{status // 100}xx"
