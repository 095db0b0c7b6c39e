"""What one vLLM engine's metrics say, by logical quantity; the names of all versions stand in `vllm_quantities`.

Everything is summed over the label `engine`, which is the data-parallel rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stack.engines import vllm_names as names
from stack.engines import vllm_quantities as vq
from stack.engines.exposed import Exposed
from stack.engines.quantities import Resolved
from stack.engines.samples import Histogram, Samples
from stack.engines.versions import Version
from stack.engines.vllm_transfers import Transfers, transfers
from stack.model.tier import Source, Tier

_STARTED = "process_start_time_seconds"
_TIER_SOURCES = {"device": Source.ENGINE, "host": Source.L1, "disk": Source.L2, "p2p": Source.PEER}
_UNSPECIFIED = "external_unspecified"
_COMPUTED, _FOUND, _LOADED = "local_compute", "local_cache_hit", "external_kv_transfer"
_BY_SOURCE, _BY_TIER = names.PROMPT_TOKENS_BY_SOURCE.name, names.PROMPT_TOKENS_CACHED_BY_SOURCE.name

WANTED = frozenset(
    {_STARTED, _BY_SOURCE, _BY_TIER, names.CACHE_CONFIG_INFO.name, *(name for quantity in vq.QUANTITIES for name in quantity.names)}
)
"""Every sample name `read` looks at; a parser may skip all others."""

_PHASES = {"queue": vq.QUEUE_TIME, "prefill": vq.PREFILL_TIME, "decode": vq.DECODE_TIME}
_NOT_TAKEN = {
    (Tier.L1, "store"): vq.ALLOCATION_FAILURES,
    (Tier.L1, "promotion"): vq.PROMOTION_ALLOCATION_FAILURES,
    (Tier.L2, "backpressure"): vq.STORES_DROPPED,
    (Tier.L2, "put"): vq.PUTS_FAILED,
}
_RESIDENCY = {"lifetime": vq.BLOCK_LIFETIME, "idle_before_evict": vq.BLOCK_IDLE, "reuse_gap": vq.BLOCK_REUSE_GAP}


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

    def like(self, other: PromptTokens) -> bool:
        """It is told of the same sources, in the same way."""
        same = self.counted.keys() == other.counted.keys() and self.admitted.keys() == other.admitted.keys()
        return same and self.rest is other.rest

    def follows(self, before: PromptTokens) -> bool:
        """It may be the same process' later: told alike, and nothing fell."""
        return (
            self.like(before)
            and self.total >= before.total
            and self.unspecified >= before.unspecified
            and all(self.counted[source] >= tokens for source, tokens in before.counted.items())
            and all(self.admitted[source] >= tokens for source, tokens in before.admitted.items())
        )


@dataclass(frozen=True, slots=True)
class Lookups:
    """Tokens a tier was asked for and tokens it found, cumulative."""

    asked: float
    found: float


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
    preemptions: float | None = None
    allocation_failures: Mapping[tuple[Tier, str], float] = field(default_factory=dict)
    phases: Mapping[str, Histogram] = field(default_factory=dict)
    residency: Mapping[str, Histogram] = field(default_factory=dict)
    quantities: tuple[Resolved, ...] = ()


def started(samples: Samples) -> float | None:
    """The engine process' Unix time of start; several API servers behind one port do not tell it."""
    return samples.total(_STARTED)


def resolved(samples: Samples, version: Version | None) -> Exposed:
    """Every quantity of one engine's exposition."""
    return Exposed(samples, vq.QUANTITIES, version, _block_tokens(samples))


def read(samples: Samples, version: Version | None = None) -> EngineReading:
    """The reading of one engine's exposition. Without its `version` what depends on it is absent."""
    exposed = resolved(samples, version)
    return EngineReading(
        started=started(samples),
        prompt=_prompt(exposed),
        generated=exposed.number(vq.GENERATED),
        running=exposed.number(vq.RUNNING),
        waiting=exposed.number(vq.WAITING),
        lookups=_lookups(exposed),
        used_ratio=_used_ratio(exposed),
        capacity_bytes=_capacity_bytes(samples),
        transfers=tuple(transfers(exposed)),
        preemptions=exposed.number(vq.PREEMPTIONS),
        allocation_failures=exposed.numbers(_NOT_TAKEN),
        phases=exposed.histograms(_PHASES),
        residency=exposed.histograms(_RESIDENCY),
        quantities=tuple(exposed.all.values()),
    )


def _prompt(exposed: Exposed) -> PromptTokens | None:
    total = exposed.number(vq.PROMPT)
    if total is None:
        return None
    by_source = exposed.samples.by("source", _BY_SOURCE)
    if by_source.keys() >= {_COMPUTED, _FOUND, _LOADED}:
        counted = {Source.COMPUTED: by_source[_COMPUTED], Source.ENGINE: by_source[_FOUND]}
        admitted, unspecified = _admitted(exposed, by_source[_LOADED])
        return PromptTokens(total, counted, admitted, unspecified)
    device = exposed.number(vq.FOUND)
    if device is None:
        return PromptTokens(total)
    external = exposed.number(vq.EXTERNAL_FOUND) or 0.0
    return PromptTokens(total, {}, {Source.ENGINE: device}, external, rest=Source.COMPUTED)


def _admitted(exposed: Exposed, external: float) -> tuple[dict[Source, float], float]:
    """Tokens of tiers beyond the engine's own, and those of no named tier; `external` where nothing splits it."""
    by_tier = exposed.samples.by("source", _BY_TIER)
    if _UNSPECIFIED in by_tier:
        named = {source: by_tier[tier] for tier, source in _TIER_SOURCES.items() if tier != "device" and tier in by_tier}
        return named, by_tier[_UNSPECIFIED]
    hits = exposed.number(vq.EXTERNAL_FOUND)
    return {}, external if hits is None else hits


def _lookups(exposed: Exposed) -> dict[Tier, Lookups]:
    found: dict[Tier, Lookups] = {}
    asked, hits = exposed.number(vq.LOOKED_UP), exposed.number(vq.FOUND)
    if asked is not None and hits is not None:
        found[Tier.ENGINE] = Lookups(asked, hits)
    return found | _offload_lookups(exposed)


def _offload_lookups(exposed: Exposed) -> dict[Tier, Lookups]:
    """Native offloading's tiers, once one of them found something: with other connectors they stay silent."""
    by_tier = exposed.samples.by("source", _BY_TIER)
    host, disk = by_tier.get("host"), by_tier.get("disk")
    asked = exposed.number(vq.EXTERNAL_LOOKED_UP)
    if asked is None or host is None or disk is None or host + disk == 0 or asked < host:
        return {}
    return {Tier.L1: Lookups(asked, host), Tier.L2: Lookups(asked - host, disk)}


def _used_ratio(exposed: Exposed) -> dict[Tier, float]:
    ratios = {Tier.ENGINE: exposed.number(vq.KV_USED), Tier.L1: exposed.number(vq.OFFLOAD_USED)}
    return {tier: ratio for tier, ratio in ratios.items() if ratio is not None}


def _capacity_bytes(samples: Samples) -> float | None:
    """KV bytes of all ranks, where the engine was given a number of bytes; it tells no other figure in bytes."""
    given = [sample.labels.get("kv_cache_memory_bytes", "") for sample in samples.of(names.CACHE_CONFIG_INFO.name)]
    if not given or not all(value.isascii() and value.isdigit() for value in given):
        return None
    return float(sum(int(value) for value in given))


def _block_tokens(samples: Samples) -> float | None:
    """Tokens of one KV block, where all ranks say the same."""
    sizes = {sample.labels.get("block_size", "") for sample in samples.of(names.CACHE_CONFIG_INFO.name)}
    size = sizes.pop() if len(sizes) == 1 else ""
    return float(size) if size.isascii() and size.isdigit() else None
