"""What one LMCache multi-process server's metrics and status say. Names are those of 0.5.6."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stack.engines.samples import Samples

_STARTED = "process_start_time_seconds"
_REQUESTED = "lmcache_mp_lookup_requested_tokens_total"
_HIT_L1 = "lmcache_mp_lookup_hit_l1_tokens_total"
_HIT_L2 = "lmcache_mp_lookup_hit_l2_tokens_total"
_L1_BYTES = "lmcache_mp_l1_memory_usage_bytes"
_L1_RATIO = "lmcache_mp_l1_usage_ratio"
_L1_EVICTED = "lmcache_mp_l1_evicted_chunks_total"
_L1_EVICTION_TICKS = "lmcache_mp_l1_eviction_loop_ticks_total"
_L2_ADAPTERS = "lmcache_mp_l2_prefetch_adapters"

WANTED = frozenset({_STARTED, _REQUESTED, _HIT_L1, _HIT_L2, _L1_BYTES, _L1_RATIO, _L1_EVICTED, _L1_EVICTION_TICKS, _L2_ADAPTERS})
"""Every sample name `read` looks at; a parser may skip all others."""


@dataclass(frozen=True, slots=True)
class TierHits:
    """Tokens of one model that LMCache was asked for, and found in L1 and in L2, cumulative.

    A hit is not a load: whole prompts are looked up, also what the engine holds. L2's hits are those beyond
    L1's prefix. None is what the server did not say.
    """

    requested: float
    l1: float | None
    l2: float | None


@dataclass(frozen=True, slots=True)
class ServerReading:
    """One server at one moment. `hits` are by model root (the path the engine loaded); None is unsaid."""

    started: float | None
    hits: Mapping[str, TierHits]
    l1_used_bytes: float | None
    l1_used_ratio: float | None
    l1_evicted_chunks: float | None
    has_l2: bool


def read(samples: Samples) -> ServerReading:
    """The reading of one server's exposition; it is nearly empty before the first look-up."""
    return ServerReading(
        started=samples.total(_STARTED),
        hits=_hits(samples),
        l1_used_bytes=samples.total(_L1_BYTES),
        l1_used_ratio=samples.mean(_L1_RATIO),
        l1_evicted_chunks=_evicted(samples),
        has_l2=_has_l2(samples),
    )


def l1_capacity_bytes(status: object) -> float | None:
    """L1's size in bytes out of the document of `GET /status`, None where it does not say."""
    if not isinstance(status, Mapping) or not isinstance(storage := status.get("storage_manager"), Mapping):
        return None
    usage = storage.get("l1_usage")
    if isinstance(usage, list) and len(usage) == 2 and isinstance(usage[1], int | float) and usage[1] > 0:
        return float(usage[1])
    return None


def _hits(samples: Samples) -> dict[str, TierHits]:
    l1, l2 = samples.by("model_name", _HIT_L1), samples.by("model_name", _HIT_L2)
    return {root: TierHits(asked, l1.get(root), l2.get(root)) for root, asked in samples.by("model_name", _REQUESTED).items()}


def _evicted(samples: Samples) -> float | None:
    """OpenTelemetry shows a counter from its first increment on: with the eviction loop at work, none means 0."""
    evicted = samples.total(_L1_EVICTED)
    return 0.0 if evicted is None and samples.total(_L1_EVICTION_TICKS) is not None else evicted


def _has_l2(samples: Samples) -> bool:
    """An L2 adapter is attached; without one, L2's hits are 0 for want of an L2."""
    return samples.by("state", _L2_ADAPTERS).get("active", 0.0) > 0
