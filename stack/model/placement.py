"""What is known about where one prompt's KV cache lies."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

import msgspec

from stack.model.chunk import CacheDoubt
from stack.model.tier import Tier


class UnknownReason(StrEnum):
    """Why a prompt's placement is not known; a closed set, for it becomes a metric label."""

    NOT_LOOKED_UP = "not_looked_up"
    NO_TOKENIZER = "no_tokenizer"  # the model's files are not here, or cannot be read
    TOKENIZER_MISMATCH = "tokenizer_mismatch"  # an engine tokenizes otherwise than this router
    UNSUPPORTED_ENDPOINT = "unsupported_endpoint"  # neither a chat nor a completion
    UNSUPPORTED_CONTENT = "unsupported_content"  # images, audio, embeddings
    UNSUPPORTED_OPTION = "unsupported_option"  # an option that changes the prompt in a way not known here
    TEMPLATE_FAILED = "template_failed"  # the chat template refused the messages
    PROMPT_TOO_LONG = "prompt_too_long"  # tokenizing it would hold up other requests
    TOKENIZER_BUSY = "tokenizer_busy"  # too much to tokenize at once: this prompt's turn did not come in time
    NO_TRUSTED_ENGINE = "no_trusted_engine"  # no KV events, or a gap in them that nothing filled
    OTHER = "placement_unknown"


class PlacementUnknownError(LookupError):
    """A prompt's tokens, and so its placement, cannot be told; `reason` says why, the message adds what is safe to log."""

    def __init__(self, reason: UnknownReason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason


class EnginePlacement(msgspec.Struct, frozen=True, gc=False):
    """Prompt tokens of one request that one engine can reach, as contiguous prefixes.

    `engine_tokens` lie in its own memory; `l1_tokens` and `l2_tokens` count what the next tiers add
    after that. None there is not 0: nobody can tell, and `doubts` say why. `age_seconds` is the time since the engine
    last reported, `l1_age_seconds` and `l2_age_seconds` since the tiers' owners did; None when unknown.
    `partial_seconds` is the time since which alone the engine's reports are whole: it may hold more of the prompt than is
    said here, never less; None when it is known entirely. Where the engine has several data-parallel `ranks`, this is what
    the best of them, `rank`, can reach; another one may serve the request. None when all of them hold nothing, or there is one.
    """

    engine_tokens: int = 0
    l1_tokens: int | None = 0
    l2_tokens: int | None = 0
    age_seconds: float | None = None
    l1_age_seconds: float | None = None
    l2_age_seconds: float | None = None
    doubts: tuple[tuple[Tier, CacheDoubt], ...] = ()
    partial_seconds: float | None = None
    ranks: int = 1
    rank: int | None = None

    @property
    def cached_tokens(self) -> int:
        """Tokens that are known not to need computing on this engine; a lower bound unless `certain`."""
        return self.engine_tokens + (self.l1_tokens or 0) + (self.l2_tokens or 0)

    @property
    def certain(self) -> bool:
        """Whether all of it is known, so that `cached_tokens` is a prediction to be held against the engine's answer."""
        tiers_known = self.l1_tokens is not None and self.l2_tokens is not None
        return tiers_known and self.partial_seconds is None and self.ranks == 1


class Placement(msgspec.Struct, frozen=True, gc=False):
    """One prompt's placement over the fleet.

    `engines` holds only engines whose index is trusted: an engine that is missing is *unknown*, not
    empty. `unknown_reason` says why the whole placement is unknown (an UnknownReason), else None.
    """

    engines: Mapping[str, EnginePlacement] = MappingProxyType({})
    prompt_tokens: int | None = None
    unknown_reason: str | None = None


UNKNOWN = Placement(unknown_reason=UnknownReason.NOT_LOOKED_UP)
