"""What a change does, as values that explain themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stack.model.tier import Pool


@dataclass(frozen=True, slots=True)
class SwitchStrategy:
    """From the next request on, `pool` chooses by `after`."""

    kind: ClassVar[str] = "switch_strategy"
    model: str
    pool: Pool
    before: str
    after: str

    @property
    def sentence(self) -> str:
        return f"From the next request on the {self.pool} pool chooses by {self.after} (until now {self.before})."


@dataclass(frozen=True, slots=True)
class SwitchDpd:
    """Disaggregated prefill/decode goes on or off."""

    kind: ClassVar[str] = "switch_dpd"
    model: str
    enabled: bool
    threshold: int

    @property
    def sentence(self) -> str:
        if not self.enabled:
            return "Every prompt goes straight to a decode engine: disaggregation is off."
        return f"Disaggregation is on: {_reach(self.threshold)} is computed on a prefill engine first."


@dataclass(frozen=True, slots=True)
class SwitchProtocol:
    """What the engines of a model speak between the pools; `refusal` says why that is of no use, None when it is."""

    kind: ClassVar[str] = "switch_protocol"
    model: str
    before: str
    after: str
    refusal: str | None

    @property
    def sentence(self) -> str:
        if self.refusal is None:
            return f"KV goes from prefill to decode engines by {self.after} (until now {self.before})."
        return (
            f"No prompt is disaggregated: kvdeck does not hand KV over by {self.after}. Long prompts go straight to a decode "
            f"engine and are counted as {self.refusal}."
        )


@dataclass(frozen=True, slots=True)
class ChangeThreshold:
    """From how many prompt tokens disaggregation begins."""

    kind: ClassVar[str] = "change_threshold"
    model: str
    before: int
    after: int
    enabled: bool

    @property
    def sentence(self) -> str:
        reach = f"{_reach(self.after).capitalize()} is computed on a prefill engine first (until now {_reach(self.before)})."
        return _once_on(self.enabled, reach)


@dataclass(frozen=True, slots=True)
class ChangeMinUncached:
    """How few uncached tokens of a long prompt are not worth a prefill engine."""

    kind: ClassVar[str] = "change_min_uncached"
    model: str
    before: int
    after: int
    enabled: bool

    @property
    def sentence(self) -> str:
        change = f"{_bypass(self.after).capitalize()} (until now: {_bypass(self.before)})."
        return _once_on(self.enabled, change)


@dataclass(frozen=True, slots=True)
class ChangeLimits:
    """How much of a model each router takes at once, in words."""

    kind: ClassVar[str] = "change_limits"
    model: str
    before: str
    after: str

    @property
    def sentence(self) -> str:
        return f"Each router takes at once: {self.after} (until now: {self.before}). Beyond that requests are refused with 429."


@dataclass(frozen=True, slots=True)
class ChangeShadowShare:
    """On how many of the requests the other strategies decide along."""

    kind: ClassVar[str] = "change_shadow_share"
    model: str
    before: float
    after: float

    @property
    def sentence(self) -> str:
        return (
            f"The other strategies decide along on {self.after:.4g} of the requests, to be compared (until now {self.before:.4g})."
        )


@dataclass(frozen=True, slots=True)
class GrowPool:
    """`pool` gains `by` engines; `engines` were leaving and stay instead of being started anew."""

    kind: ClassVar[str] = "grow_pool"
    model: str
    pool: Pool
    by: int
    engines: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        parts = [f"Stops draining and serves on: {', '.join(self.engines)}."] if self.engines else []
        starting = self.by - len(self.engines)
        if starting:
            parts.append(f"To start: {starting} more {self.pool} engine{'s' if starting > 1 else ''}, used once ready.")
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class ShrinkPool:
    """`pool` loses `by` engines: `engines` finish what they have and end. Fewer may run than are desired."""

    kind: ClassVar[str] = "shrink_pool"
    model: str
    pool: Pool
    by: int
    engines: tuple[str, ...]

    @property
    def sentence(self) -> str:
        if not self.engines:
            return f"No {self.pool} engine has to end: no more than that run now."
        return f"To drain and end: {', '.join(self.engines)}. No new requests; those in flight finish first."


Effect = (
    SwitchStrategy
    | SwitchDpd
    | SwitchProtocol
    | ChangeThreshold
    | ChangeMinUncached
    | ChangeLimits
    | ChangeShadowShare
    | GrowPool
    | ShrinkPool
)


def _once_on(enabled: bool, sentence: str) -> str:
    """What is set while disaggregation is off is kept, and has no effect yet."""
    return sentence if enabled else f"{sentence} Nothing changes until disaggregation is on."


def _reach(threshold: int) -> str:
    return "every prompt" if threshold == 0 else f"a prompt of at least {threshold} tokens"


def _bypass(min_uncached: int) -> str:
    if min_uncached == 0:
        return "what a decode engine holds does not decide the path"
    return f"a long prompt goes straight to a decode engine that holds all but fewer than {min_uncached} tokens of it"
