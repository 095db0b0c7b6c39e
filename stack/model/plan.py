"""A routing decision is a value with a reason; the executor reads it and asks nobody."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from stack.model.tier import Path

NO_SCORES: Mapping[str, Mapping[str, float]] = MappingProxyType({})


class Choice(msgspec.Struct, frozen=True, gc=False):
    """One engine out of one pool.

    `scores` gives each candidate's score parts (engine -> part -> value) so that a record explains
    itself; `ranked_by` names the part that ranks them, smallest first. `fallback` names why the strategy could not do what it
    is for (a bounded word such as `no_session_key`), None when it could, and `decided_by` the strategy that decided then, when
    another one did. `expected_cached_tokens` and `predicted_ttft_s` (seconds from handing the request to the engine to its
    first token) are predictions to hold against the engine's answer; None where none was made.
    """

    engine: str
    reason: str
    scores: Mapping[str, Mapping[str, float]] = NO_SCORES
    fallback: str | None = None
    expected_cached_tokens: int | None = None
    predicted_ttft_s: float | None = None
    ranked_by: str | None = None
    decided_by: str | None = None


class Comparison(msgspec.Struct, frozen=True, gc=False):
    """Two numbers that decided something; in words "1,830 >= 512", after what the first one counts, if that is not plain."""

    value: int
    bound: int
    what: str = ""

    def __str__(self) -> str:
        sign = ">=" if self.value >= self.bound else "<"
        return f"{self.what} {self.value:,} {sign} {self.bound:,}".lstrip()


class Plan(msgspec.Struct, frozen=True, gc=False):
    """What the executor does with one request. `prefill` is None on the direct path.

    `compared` are the numbers that decided the path; None when none did.
    """

    path: Path
    decode: Choice
    decode_strategy: str
    reason: str
    prefill: Choice | None = None
    prefill_strategy: str | None = None
    fallback: str | None = None
    compared: Comparison | None = None
