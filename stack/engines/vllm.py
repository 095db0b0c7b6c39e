"""What one vLLM engine's metrics say, by logical quantity; names of older versions are aliases.

Everything is summed over the label `engine`, which is the data-parallel rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stack.engines import vllm_names as names
from stack.engines.samples import Histogram, Samples
from stack.model.tier import Source, Tier

# Up to 0.11. Its prefix cache counters (`vllm:gpu_prefix_cache_*`) are no aliases: 0.8 counted blocks under those names.
_USAGE = (names.KV_CACHE_USAGE_PERC.name, "vllm:gpu_cache_usage_perc")
_OFFLOAD_USAGE = "vllm:kv_offload_cpu_cache_usage_perc"
_MOONCAKE_SECONDS = "vllm:mooncake_xfer_time_seconds"
_MOONCAKE_BYTES = "vllm:mooncake_bytes_transferred"
_MOONCAKE_FAILURES = {
    "transfer": "vllm:mooncake_num_failed_transfers_total",
    "expired": "vllm:mooncake_num_kv_expired_reqs_total",
}
# Failed notifications are left out: vLLM counts them among the failed transfers already.
_NIXL_FAILURES = {
    "transfer": names.NIXL_NUM_FAILED_TRANSFERS.name,
    "expired": names.NIXL_NUM_KV_EXPIRED_REQS.name,
    "late_notification": names.NIXL_NUM_NOTIFICATIONS_AFTER_EXPIRY.name,
}
_STARTED = "process_start_time_seconds"
_TIER_SOURCES = {"device": Source.ENGINE, "host": Source.L1, "disk": Source.L2, "p2p": Source.PEER}
_UNSPECIFIED = "external_unspecified"

WANTED = frozenset(
    {
        _STARTED,
        *_USAGE,
        _OFFLOAD_USAGE,
        *_NIXL_FAILURES.values(),
        *_MOONCAKE_FAILURES.values(),
        *(
            family.name
            for family in (
                names.PROMPT_TOKENS,
                names.PROMPT_TOKENS_BY_SOURCE,
                names.PROMPT_TOKENS_CACHED_BY_SOURCE,
                names.PREFIX_CACHE_QUERIES,
                names.PREFIX_CACHE_HITS,
                names.EXTERNAL_PREFIX_CACHE_QUERIES,
                names.EXTERNAL_PREFIX_CACHE_HITS,
                names.GENERATION_TOKENS,
                names.NUM_REQUESTS_RUNNING,
                names.NUM_REQUESTS_WAITING,
                names.CACHE_CONFIG_INFO,
            )
        ),
        *(f"{name}_{part}" for name in (names.NIXL_BYTES_TRANSFERRED.name, _MOONCAKE_BYTES) for part in ("sum", "count")),
        *(
            f"{name}_{part}"
            for name in (names.NIXL_XFER_TIME_SECONDS.name, _MOONCAKE_SECONDS)
            for part in ("bucket", "sum", "count")
        ),
    }
)
"""Every sample name `read` looks at; a parser may skip all others."""


@dataclass(frozen=True, slots=True)
class PromptTokens:
    """An engine's cumulative prompt tokens, and what it says of where their KV came from.

    vLLM counts twice, at two moments: `counted` rises together with `total`, at a request's first output;
    `admitted` and `unspecified` (a connector that names no tier, such as LMCache's) rise when the request is
    scheduled, which is earlier, and also for loads that fail afterwards. `rest` names what neither explains.
    """

    total: float
    counted: Mapping[Source, float] = field(default_factory=dict)
    admitted: Mapping[Source, float] = field(default_factory=dict)
    unspecified: float = 0.0
    rest: Source = Source.UNKNOWN


@dataclass(frozen=True, slots=True)
class Lookups:
    """Tokens a tier was asked for and tokens it found, cumulative."""

    asked: float
    found: float


@dataclass(frozen=True, slots=True)
class Transfers:
    """KV an engine fetched over one transport, cumulative; absent parts are None. `failures` by reason."""

    transport: str
    bytes: float | None
    seconds: Histogram | None
    failures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class EngineReading:
    """One engine at one moment; None is what it did not say. `started` is its process' Unix time of start."""

    started: float | None
    prompt: PromptTokens | None
    generated: float | None
    running: float | None
    waiting: float | None
    lookups: Mapping[Tier, Lookups]
    used_ratio: Mapping[Tier, float]
    capacity_bytes: float | None
    transfers: tuple[Transfers, ...]


def read(samples: Samples) -> EngineReading:
    """The reading of one engine's exposition."""
    return EngineReading(
        started=samples.total(_STARTED),
        prompt=_prompt(samples),
        generated=samples.total(names.GENERATION_TOKENS.name),
        running=samples.total(names.NUM_REQUESTS_RUNNING.name),
        waiting=samples.total(names.NUM_REQUESTS_WAITING.name),
        lookups=_lookups(samples),
        used_ratio=_used_ratio(samples),
        capacity_bytes=_capacity_bytes(samples),
        transfers=tuple(_transfers(samples)),
    )


def _prompt(samples: Samples) -> PromptTokens | None:
    total = samples.total(names.PROMPT_TOKENS.name)
    if total is None:
        return None
    by_source = samples.by("source", names.PROMPT_TOKENS_BY_SOURCE.name)
    if by_source:
        counted = {Source.COMPUTED: by_source.get("local_compute", 0.0), Source.ENGINE: by_source.get("local_cache_hit", 0.0)}
        admitted, unspecified = _admitted(samples, by_source.get("external_kv_transfer", 0.0))
        return PromptTokens(total, counted, admitted, unspecified)
    device = samples.total(names.PREFIX_CACHE_HITS.name)
    if device is None:
        return PromptTokens(total)
    external = samples.total(names.EXTERNAL_PREFIX_CACHE_HITS.name) or 0.0
    return PromptTokens(total, {}, {Source.ENGINE: device}, external, rest=Source.COMPUTED)


def _admitted(samples: Samples, external: float) -> tuple[dict[Source, float], float]:
    """Tokens of tiers beyond the engine's own, and those of no named tier; `external` where nothing splits it."""
    by_tier = samples.by("source", names.PROMPT_TOKENS_CACHED_BY_SOURCE.name)
    if by_tier:
        named = {source: by_tier[tier] for tier, source in _TIER_SOURCES.items() if tier != "device" and tier in by_tier}
        return named, by_tier.get(_UNSPECIFIED, 0.0)
    hits = samples.total(names.EXTERNAL_PREFIX_CACHE_HITS.name)
    return {}, external if hits is None else hits


def _lookups(samples: Samples) -> dict[Tier, Lookups]:
    found: dict[Tier, Lookups] = {}
    asked, hits = samples.total(names.PREFIX_CACHE_QUERIES.name), samples.total(names.PREFIX_CACHE_HITS.name)
    if asked is not None and hits is not None:
        found[Tier.ENGINE] = Lookups(asked, hits)
    return found | _offload_lookups(samples)


def _offload_lookups(samples: Samples) -> dict[Tier, Lookups]:
    """Native offloading's tiers, once one of them found something: with other connectors they stay silent."""
    by_tier = samples.by("source", names.PROMPT_TOKENS_CACHED_BY_SOURCE.name)
    host, disk = by_tier.get("host", 0.0), by_tier.get("disk", 0.0)
    asked = samples.total(names.EXTERNAL_PREFIX_CACHE_QUERIES.name)
    if asked is None or host + disk == 0:
        return {}
    return {Tier.L1: Lookups(asked, host), Tier.L2: Lookups(asked - host, disk)}


def _used_ratio(samples: Samples) -> dict[Tier, float]:
    ratios = {Tier.ENGINE: samples.mean(*_USAGE), Tier.L1: samples.mean(_OFFLOAD_USAGE)}
    return {tier: ratio for tier, ratio in ratios.items() if ratio is not None}


def _capacity_bytes(samples: Samples) -> float | None:
    """KV bytes of all ranks, where the engine was given a number of bytes; it tells no other figure in bytes."""
    given = [sample.labels.get("kv_cache_memory_bytes", "") for sample in samples.of(names.CACHE_CONFIG_INFO.name)]
    if not given or not all(value.isascii() and value.isdigit() for value in given):
        return None
    return float(sum(int(value) for value in given))


def _transfers(samples: Samples) -> list[Transfers]:
    nixl = ("nixl", names.NIXL_BYTES_TRANSFERRED.name, names.NIXL_XFER_TIME_SECONDS.name, _NIXL_FAILURES)
    mooncake = ("mooncake", _MOONCAKE_BYTES, _MOONCAKE_SECONDS, _MOONCAKE_FAILURES)
    found = []
    for transport, size, seconds, failures in (nixl, mooncake):
        failed = {reason: value for reason, name in failures.items() if (value := samples.total(name)) is not None}
        moved, took = samples.total(f"{size}_sum"), samples.histogram(seconds)
        if moved is not None or took is not None or failed:
            found.append(Transfers(transport, moved, took, failed))
    return found
