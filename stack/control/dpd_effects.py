"""What a change of disaggregation does, as values that explain themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


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


def _once_on(enabled: bool, sentence: str) -> str:
    """What is set while disaggregation is off is kept, and has no effect yet."""
    return sentence if enabled else f"{sentence} Nothing changes until disaggregation is on."


def _reach(threshold: int) -> str:
    return "every prompt" if threshold == 0 else f"a prompt of at least {threshold} tokens"


def _bypass(min_uncached: int) -> str:
    if min_uncached == 0:
        return "what a decode engine holds does not decide the path"
    return f"a long prompt goes straight to a decode engine that holds all but fewer than {min_uncached} tokens of it"
