"""What came out, in milliseconds; what was not measured is None."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stack.bench.quantile import quantile


class Added(msgspec.Struct, frozen=True, kw_only=True):
    """What the router adds to requests of one case: the percentile through it less the one without it.

    `best_ms` is the same of the quickest: what is left when the machine does little else. `cpu_ms` is the CPU time of the
    router's process a request. `bar_ms` is what `p50_ms` should not exceed, where there is a bar.
    """

    case: str
    requests: int
    prompt_tokens: int
    body_bytes: int
    best_ms: float
    p50_ms: float
    p99_ms: float
    cpu_ms: float
    bar_ms: float | None = None


class Others(msgspec.Struct, frozen=True, kw_only=True):
    """Latency of small requests at a steady pace: alone, and while unseen prompts of `long_tokens` come in."""

    requests_per_second: float
    long_tokens: int
    long_per_second: float
    alone_p50_ms: float
    alone_p99_ms: float
    beside_p50_ms: float
    beside_p99_ms: float


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The whole benchmark. `meaningless` says why the figures mean nothing, where they do."""

    seen_4000_added_p50_ms: float | None
    seen_32000_added_p50_ms: float | None
    others_added_p99_ms: float | None
    engines: int
    block_tokens: int
    cases: list[Added]
    others: Others
    meaningless: str | None = None


def added(routed: Sequence[float], direct: Sequence[float], share: float) -> float:
    """Seconds as milliseconds: a percentile through the router less the same one without it."""
    return (quantile(routed, share) - quantile(direct, share)) * 1e3
