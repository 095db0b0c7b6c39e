"""What is asked of a vLLM engine, under the names of vLLM 0.8.5 to 0.33.

`since` is the first inspected release that has a name, so the true change may lie between it and the one inspected before.
Held to the table of 23 released wheels by a test.
"""

from __future__ import annotations

from stack.engines import vllm_names as names
from stack.engines.quantities import Alias, Fold, Quantity
from stack.engines.versions import Version
from stack.metrics.family import Unit

_FIRST: Version = (0, 8, 5)
_CONNECTOR = "counted with a KV connector only"
_NIXL = "counted with the NIXL connector only"
_MOONCAKE = "counted with the Mooncake connector only"
_OFFLOAD = "counted with native KV offloading only"
_TIERING = "counted with native KV offloading to several tiers only"
_STORE = "counted once a Mooncake store is used"
_FEATURES = {_NIXL, _MOONCAKE, _OFFLOAD, _TIERING, _STORE}
_RESIDENCY = "told with --kv-cache-metrics only"


def _counter(name: str, unit: Unit, *aliases: Alias, needs: str = "") -> Quantity:
    return Quantity(name, unit, Fold.COUNTER, aliases, needs, needs in _FEATURES)


def _gauge(name: str, unit: Unit, *aliases: Alias, fold: Fold = Fold.TOTAL, needs: str = "") -> Quantity:
    return Quantity(name, unit, fold, aliases, needs, needs in _FEATURES, stepped=True)


def _histogram(name: str, unit: Unit, *aliases: Alias, needs: str = "", buckets: bool = True) -> Quantity:
    return Quantity(name, unit, Fold.HISTOGRAM, aliases, needs, needs in _FEATURES, buckets=buckets)


def _in_prefix_cache(new: str, old: str) -> tuple[Alias, ...]:
    """Both were counted from 0.9.2 to 0.11; the old name meant blocks in 0.8.5, and tokens from 0.9.2 on."""
    return (
        Alias(new, (0, 9, 2)),
        Alias(old, (0, 9, 2), (0, 12, 0), hidden=(0, 11, 0)),
        Alias(old, _FIRST, (0, 9, 2), in_blocks=True),
    )


def _offloaded(new: str, old: str, direction: str) -> tuple[Alias, ...]:
    """From 0.24 on both are counted: they are one figure."""
    return Alias(new, (0, 24, 0)), Alias(old, (0, 16, 0), where=("transfer_type", direction))


RUNNING = _gauge("requests_running", Unit.REQUESTS, Alias(names.NUM_REQUESTS_RUNNING.name, _FIRST))
WAITING = _gauge("requests_waiting", Unit.REQUESTS, Alias(names.NUM_REQUESTS_WAITING.name, _FIRST))
KV_USED = _gauge(
    "kv_cache_used", Unit.RATIO,
    Alias(names.KV_CACHE_USAGE_PERC.name, (0, 9, 2)),
    Alias("vllm:gpu_cache_usage_perc", _FIRST, (0, 12, 0), hidden=(0, 11, 0)),
    fold=Fold.MEAN,
)  # fmt: skip
OFFLOAD_USED = _gauge(
    "offload_used", Unit.RATIO, Alias("vllm:kv_offload_cpu_cache_usage_perc", (0, 24, 0)), fold=Fold.MEAN, needs=_OFFLOAD
)

PROMPT = _counter("prompt_tokens", Unit.TOKENS, Alias(names.PROMPT_TOKENS.name, _FIRST))
GENERATED = _counter("generated_tokens", Unit.TOKENS, Alias(names.GENERATION_TOKENS.name, _FIRST))
COMPUTED = _counter(
    "prompt_tokens_computed", Unit.TOKENS, Alias(names.PROMPT_TOKENS_BY_SOURCE.name, (0, 16, 0), where=("source", "local_compute"))
)
LOOKED_UP = _counter(
    "prefix_cache_lookup_tokens", Unit.TOKENS,
    *_in_prefix_cache(names.PREFIX_CACHE_QUERIES.name, "vllm:gpu_prefix_cache_queries_total"),
)  # fmt: skip
FOUND = _counter(
    "prefix_cache_hit_tokens", Unit.TOKENS,
    *_in_prefix_cache(names.PREFIX_CACHE_HITS.name, "vllm:gpu_prefix_cache_hits_total"),
)  # fmt: skip
EXTERNAL_LOOKED_UP = _counter(
    "external_lookup_tokens", Unit.TOKENS, Alias(names.EXTERNAL_PREFIX_CACHE_QUERIES.name, (0, 11, 2)), needs=_CONNECTOR
)
EXTERNAL_FOUND = _counter(
    "external_hit_tokens", Unit.TOKENS, Alias(names.EXTERNAL_PREFIX_CACHE_HITS.name, (0, 11, 2)), needs=_CONNECTOR
)
PREEMPTIONS = _counter("preemptions", Unit.NONE, Alias(names.NUM_PREEMPTIONS.name, _FIRST))

TTFT = _histogram("time_to_first_token", Unit.SECONDS, Alias(names.TIME_TO_FIRST_TOKEN_SECONDS.name, _FIRST), buckets=False)
ITL = _histogram(
    "inter_token_latency", Unit.SECONDS,
    Alias(names.INTER_TOKEN_LATENCY_SECONDS.name, (0, 10, 2)),
    Alias("vllm:time_per_output_token_seconds", _FIRST, (0, 15, 0), hidden=(0, 12, 0)),
    buckets=False,
)  # fmt: skip
QUEUE_TIME = _histogram("queue_time", Unit.SECONDS, Alias(names.REQUEST_QUEUE_TIME_SECONDS.name, _FIRST))
PREFILL_TIME = _histogram("prefill_time", Unit.SECONDS, Alias(names.REQUEST_PREFILL_TIME_SECONDS.name, _FIRST))
DECODE_TIME = _histogram("decode_time", Unit.SECONDS, Alias(names.REQUEST_DECODE_TIME_SECONDS.name, _FIRST))

BLOCK_LIFETIME = _histogram(
    "block_lifetime", Unit.SECONDS, Alias("vllm:kv_block_lifetime_seconds", (0, 12, 0)), needs=_RESIDENCY
)  # fmt: skip
BLOCK_IDLE = _histogram(
    "block_idle_before_eviction", Unit.SECONDS, Alias("vllm:kv_block_idle_before_evict_seconds", (0, 12, 0)), needs=_RESIDENCY
)
BLOCK_REUSE_GAP = _histogram(
    "block_reuse_gap", Unit.SECONDS, Alias("vllm:kv_block_reuse_gap_seconds", (0, 12, 0)), needs=_RESIDENCY
)  # fmt: skip

NIXL_BYTES = _counter("nixl_bytes", Unit.BYTES, Alias(f"{names.NIXL_BYTES_TRANSFERRED.name}_sum", (0, 11, 2)), needs=_NIXL)
NIXL_TIME = _histogram("nixl_time", Unit.SECONDS, Alias(names.NIXL_XFER_TIME_SECONDS.name, (0, 11, 2)), needs=_NIXL)
# Failed notifications are left out: vLLM counts them among the failed transfers already.
NIXL_FAILED = _counter("nixl_failed", Unit.NONE, Alias(names.NIXL_NUM_FAILED_TRANSFERS.name, (0, 11, 2)), needs=_NIXL)
NIXL_EXPIRED = _counter("nixl_expired", Unit.NONE, Alias(names.NIXL_NUM_KV_EXPIRED_REQS.name, (0, 15, 1)), needs=_NIXL)
NIXL_LATE = _counter("nixl_late", Unit.NONE, Alias(names.NIXL_NUM_NOTIFICATIONS_AFTER_EXPIRY.name, (0, 32, 0)), needs=_NIXL)
MOONCAKE_BYTES = _counter("mooncake_bytes", Unit.BYTES, Alias("vllm:mooncake_bytes_transferred_sum", (0, 33, 0)), needs=_MOONCAKE)
MOONCAKE_TIME = _histogram("mooncake_time", Unit.SECONDS, Alias("vllm:mooncake_xfer_time_seconds", (0, 33, 0)), needs=_MOONCAKE)
MOONCAKE_FAILED = _counter(
    "mooncake_failed", Unit.NONE, Alias("vllm:mooncake_num_failed_transfers_total", (0, 33, 0)), needs=_MOONCAKE
)  # fmt: skip
MOONCAKE_RECEIVE_FAILED = _counter(
    "mooncake_receive_failed", Unit.NONE, Alias("vllm:mooncake_num_failed_recvs_total", (0, 33, 0)), needs=_MOONCAKE
)
MOONCAKE_EXPIRED = _counter(
    "mooncake_expired", Unit.NONE, Alias("vllm:mooncake_num_kv_expired_reqs_total", (0, 33, 0)), needs=_MOONCAKE
)

_BYTES, _TIME = names.KV_OFFLOAD_TOTAL_BYTES.name, names.KV_OFFLOAD_TOTAL_TIME.name
LOADED_BYTES = _counter(
    "offload_loaded_bytes", Unit.BYTES, *_offloaded(names.KV_OFFLOAD_LOAD_BYTES.name, _BYTES, "CPU_to_GPU"), needs=_OFFLOAD
)
LOAD_TIME = _counter(
    "offload_load_time", Unit.SECONDS, *_offloaded(names.KV_OFFLOAD_LOAD_TIME.name, _TIME, "CPU_to_GPU"), needs=_OFFLOAD
)
STORED_BYTES = _counter(
    "offload_stored_bytes", Unit.BYTES, *_offloaded(names.KV_OFFLOAD_STORE_BYTES.name, _BYTES, "GPU_to_CPU"), needs=_OFFLOAD
)
STORE_TIME = _counter(
    "offload_store_time", Unit.SECONDS, *_offloaded(names.KV_OFFLOAD_STORE_TIME.name, _TIME, "GPU_to_CPU"), needs=_OFFLOAD
)
ALLOCATION_FAILURES = _counter(
    "offload_allocation_failures", Unit.NONE, Alias("vllm:kv_offload_allocation_failure_total", (0, 26, 0)), needs=_OFFLOAD
)

# Between the host's memory and the tiers behind it, all of them together.
TIER_READ_BYTES = _counter(
    "tier_read_bytes", Unit.BYTES, Alias(names.KV_OFFLOAD_TIERING_READ_BYTES.name, (0, 28, 0)), needs=_TIERING
)
TIER_READ_TIME = _counter(
    "tier_read_time", Unit.SECONDS, Alias(names.KV_OFFLOAD_TIERING_READ_TIME.name, (0, 28, 0)), needs=_TIERING
)
TIER_WRITTEN_BYTES = _counter(
    "tier_written_bytes", Unit.BYTES, Alias(names.KV_OFFLOAD_TIERING_WRITE_BYTES.name, (0, 28, 0)), needs=_TIERING
)
TIER_WRITE_TIME = _counter(
    "tier_write_time", Unit.SECONDS, Alias(names.KV_OFFLOAD_TIERING_WRITE_TIME.name, (0, 28, 0)), needs=_TIERING
)
PROMOTIONS_FAILED = _counter(
    "tier_promotions_failed", Unit.NONE, Alias("vllm:kv_offload_tiering_promotion_job_failures_total", (0, 28, 0)), needs=_TIERING
)
CASCADES_FAILED = _counter(
    "tier_cascades_failed", Unit.NONE, Alias("vllm:kv_offload_tiering_cascade_job_failures_total", (0, 28, 0)), needs=_TIERING
)
PROMOTION_ALLOCATION_FAILURES = _counter(
    "tier_promotion_allocation_failures", Unit.NONE,
    Alias("vllm:kv_offload_tiering_promotion_allocation_failures_total", (0, 28, 0)), needs=_TIERING,
)  # fmt: skip
STORES_DROPPED = _counter(
    "tier_stores_dropped", Unit.NONE,
    Alias("vllm:kv_offload_tiering_backpressure_stores_dropped_total", (0, 32, 0)), needs=_TIERING,
)  # fmt: skip

_GET, _PUT = ("operation", "load_get"), ("operation", "save_put")
_STORE_BYTES, _STORE_TIME = "vllm:mooncake_store_operation_bytes_total", "vllm:mooncake_store_operation_time_seconds_sum"
_STORE_FAILED = "vllm:mooncake_store_operation_failed_keys_total"
GOT_BYTES = _counter("mooncake_store_got_bytes", Unit.BYTES, Alias(_STORE_BYTES, (0, 22, 1), where=_GET), needs=_STORE)
GET_TIME = _counter("mooncake_store_get_time", Unit.SECONDS, Alias(_STORE_TIME, (0, 22, 1), where=_GET), needs=_STORE)
GETS_FAILED = _counter("mooncake_store_gets_failed", Unit.NONE, Alias(_STORE_FAILED, (0, 22, 1), where=_GET), needs=_STORE)
PUT_BYTES = _counter("mooncake_store_put_bytes", Unit.BYTES, Alias(_STORE_BYTES, (0, 22, 1), where=_PUT), needs=_STORE)
PUT_TIME = _counter("mooncake_store_put_time", Unit.SECONDS, Alias(_STORE_TIME, (0, 22, 1), where=_PUT), needs=_STORE)
PUTS_FAILED = _counter("mooncake_store_puts_failed", Unit.NONE, Alias(_STORE_FAILED, (0, 22, 1), where=_PUT), needs=_STORE)

QUANTITIES = (
    RUNNING, WAITING, KV_USED, OFFLOAD_USED,
    PROMPT, GENERATED, COMPUTED, LOOKED_UP, FOUND, EXTERNAL_LOOKED_UP, EXTERNAL_FOUND, PREEMPTIONS,
    TTFT, ITL, QUEUE_TIME, PREFILL_TIME, DECODE_TIME,
    BLOCK_LIFETIME, BLOCK_IDLE, BLOCK_REUSE_GAP,
    NIXL_BYTES, NIXL_TIME, NIXL_FAILED, NIXL_EXPIRED, NIXL_LATE,
    MOONCAKE_BYTES, MOONCAKE_TIME, MOONCAKE_FAILED, MOONCAKE_RECEIVE_FAILED, MOONCAKE_EXPIRED,
    LOADED_BYTES, LOAD_TIME, STORED_BYTES, STORE_TIME, ALLOCATION_FAILURES,
    TIER_READ_BYTES, TIER_READ_TIME, TIER_WRITTEN_BYTES, TIER_WRITE_TIME, PROMOTIONS_FAILED, CASCADES_FAILED,
    PROMOTION_ALLOCATION_FAILURES, STORES_DROPPED,
    GOT_BYTES, GET_TIME, GETS_FAILED, PUT_BYTES, PUT_TIME, PUTS_FAILED,
)  # fmt: skip
