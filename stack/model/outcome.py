"""What came of a choice: the figures that strategies and rates learn from."""

from __future__ import annotations

import msgspec


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """One request's time at one engine, in seconds and tokens; None is unknown, never zero.

    `ttft_seconds` runs from handing the request to the engine to its first token. The engine itself says `queue_seconds`
    (until it was scheduled), `prefill_seconds` (from there to the first token), `prompt_tokens` and `cached_tokens` (not
    computed there).
    """

    ttft_seconds: float | None = None
    queue_seconds: float | None = None
    prefill_seconds: float | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None


UNKNOWN_OUTCOME = Outcome()
