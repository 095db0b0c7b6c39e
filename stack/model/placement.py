"""What is known about where one prompt's KV cache lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class EnginePlacement:
    """Prompt tokens of one request that one engine can reach, as contiguous prefixes.

    `engine_tokens` lie in its own memory; `l1_tokens` and `l2_tokens` count what the next tiers add
    after that. `age_seconds` is the time since the engine last reported, None when unknown.
    """

    engine_tokens: int = 0
    l1_tokens: int = 0
    l2_tokens: int = 0
    age_seconds: float | None = None

    @property
    def cached_tokens(self) -> int:
        """Tokens that need not be computed on this engine."""
        return self.engine_tokens + self.l1_tokens + self.l2_tokens


@dataclass(frozen=True, slots=True)
class Placement:
    """One prompt's placement over the fleet.

    `engines` holds only engines whose index is trusted: an engine that is missing is *unknown*, not
    empty. `unknown_reason` says why the whole placement is unknown (no tokenizer, no events), else None.
    """

    engines: Mapping[str, EnginePlacement] = field(default_factory=lambda: MappingProxyType({}))
    prompt_tokens: int | None = None
    unknown_reason: str | None = None


UNKNOWN = Placement(unknown_reason="not looked up")
