"""vLLM 0.32's Prometheus families as its /metrics shows them: name, kind, help, labels, buckets.

`model_name` and `engine` (the data-parallel rank) are on every series and are not repeated here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from stack.metrics.family import Kind


@dataclass(frozen=True, slots=True)
class VllmFamily:
    """One family of the engine. `name` is as exposed: counters end in `_total`, and so does one histogram.

    `sized` histograms take their buckets from the model's context length (`sizes`).
    """

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    sized: bool = False


# Ray Serve and OpenShift's KServe put a prefix of their own before vLLM's.
_PREFIXED = re.compile(rb"^(?:ray_vllm[:_]|kserve_vllm:)", re.MULTILINE)


def plain(document: bytes) -> bytes:
    """An exposition with vLLM's own names, whoever prefixed them."""
    return _PREFIXED.sub(b"vllm:", document) if b"ray_vllm" in document or b"kserve_vllm" in document else document


def sizes(max_model_len: int) -> tuple[float, ...]:
    """Buckets 1, 2, 5, 10, 20, ... up to `max_model_len`, as the engine builds them for token counts."""
    steps = (mantissa * 10.0**exponent for exponent in range(12) for mantissa in (1, 2, 5))
    return tuple(step for step in steps if step <= max_model_len)


def _counter(name: str, text: str, *labels: str) -> VllmFamily:
    return VllmFamily(name, Kind.COUNTER, text, labels)


def _gauge(name: str, text: str, *labels: str) -> VllmFamily:
    return VllmFamily(name, Kind.GAUGE, text, labels)


def _histogram(name: str, text: str, buckets: tuple[float, ...], *labels: str) -> VllmFamily:
    return VllmFamily(name, Kind.HISTOGRAM, text, labels, buckets)


def _sizes(name: str, text: str) -> VllmFamily:
    return VllmFamily(name, Kind.HISTOGRAM, text, sized=True)


_STEP_TOKENS = (1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
_CHOICES = (1, 2, 5, 10, 20)
_FIRST_TOKEN = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560)
_PER_TOKEN = (0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80)
_LATENCY = (0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680)
_PREEMPTIONS = (1, 2, 3, 4, 5, 10, 20)
_TRANSFER_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 5)
_POST_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 5)
_TRANSFER_BYTES = (2048, 8192, 32768, 131072, 524288, 2097152, 8388608, 33554432, 134217728, 536870912, 2147483648, 8589934592)
_DESCRIPTORS = (10, 20, 30, 50, 75, 100, 200, 400, 1000, 2000, 4000, 10000, 20000, 50000)
_OFFLOAD_BYTES = (1000000, 5000000, 10000000, 20000000, 40000000, 60000000, 80000000, 100000000, 150000000, 200000000)

NUM_REQUESTS_RUNNING = _gauge("vllm:num_requests_running", "Number of requests in model execution batches.")
NUM_REQUESTS_WAITING = _gauge("vllm:num_requests_waiting", "Number of requests waiting to be processed.")
NUM_REQUESTS_WAITING_BY_REASON = _gauge(
    "vllm:num_requests_waiting_by_reason",
    "Number of waiting requests by reason. Reason labels: 'capacity' = waiting for scheduling capacity; 'deferred' = "
    "deferred by transient constraints (LoRA budget, KV transfer, blocked status). Sum of all reasons equals "
    "vllm:num_requests_waiting.",
    "reason",
)
KV_CACHE_USAGE_PERC = _gauge("vllm:kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.")
PREFIX_CACHE_QUERIES = _counter("vllm:prefix_cache_queries_total", "Prefix cache queries, in terms of number of queried tokens.")
PREFIX_CACHE_HITS = _counter("vllm:prefix_cache_hits_total", "Prefix cache hits, in terms of number of cached tokens.")
EXTERNAL_PREFIX_CACHE_QUERIES = _counter(
    "vllm:external_prefix_cache_queries_total",
    "External prefix cache queries from KV connector cross-instance cache sharing, in terms of number of queried tokens.",
)
EXTERNAL_PREFIX_CACHE_HITS = _counter(
    "vllm:external_prefix_cache_hits_total",
    "External prefix cache hits from KV connector cross-instance cache sharing, in terms of number of cached tokens.",
)
NUM_PREEMPTIONS = _counter("vllm:num_preemptions_total", "Cumulative number of preemption from the engine.")
PROMPT_TOKENS = _counter("vllm:prompt_tokens_total", "Number of prefill tokens processed.")
PROMPT_TOKENS_BY_SOURCE = _counter("vllm:prompt_tokens_by_source_total", "Number of prompt tokens by source.", "source")
PROMPT_TOKENS_CACHED = _counter("vllm:prompt_tokens_cached_total", "Number of cached prompt tokens (local + external).")
PROMPT_TOKENS_CACHED_BY_SOURCE = _counter(
    "vllm:prompt_tokens_cached_by_source_total",
    "Prefix-cache hit tokens by the cache tier that supplied them: device (local HBM), host (offloaded to DRAM), "
    "disk, p2p (transferred from another vLLM instance) or external_unspecified. Counted at admission; sums to "
    "vllm:prefix_cache_hits + vllm:external_prefix_cache_hits.",
    "source",
)
GENERATION_TOKENS = _counter("vllm:generation_tokens_total", "Number of generation tokens processed.")
REQUEST_SUCCESS = _counter("vllm:request_success_total", "Count of successfully processed requests.", "finished_reason")
REQUEST_PROMPT_TOKENS = _sizes("vllm:request_prompt_tokens", "Number of prefill tokens processed.")
REQUEST_GENERATION_TOKENS = _sizes("vllm:request_generation_tokens", "Number of generation tokens processed.")
ITERATION_TOKENS = _histogram("vllm:iteration_tokens_total", "Histogram of number of tokens per engine_step.", _STEP_TOKENS)
REQUEST_MAX_NUM_GENERATION_TOKENS = _sizes(
    "vllm:request_max_num_generation_tokens",
    "Histogram of maximum number of requested generation tokens.",
)
REQUEST_PARAMS_N = _histogram("vllm:request_params_n", "Histogram of the n request parameter.", _CHOICES)
REQUEST_PARAMS_MAX_TOKENS = _sizes("vllm:request_params_max_tokens", "Histogram of the max_tokens request parameter.")
TIME_TO_FIRST_TOKEN_SECONDS = _histogram(
    "vllm:time_to_first_token_seconds",
    "Histogram of time to first token in seconds.",
    _FIRST_TOKEN,
)
INTER_TOKEN_LATENCY_SECONDS = _histogram(
    "vllm:inter_token_latency_seconds",
    "Histogram of inter-token latency in seconds.",
    _PER_TOKEN,
)
REQUEST_TIME_PER_OUTPUT_TOKEN_SECONDS = _histogram(
    "vllm:request_time_per_output_token_seconds",
    "Histogram of time_per_output_token_seconds per request.",
    _PER_TOKEN,
)
E2E_REQUEST_LATENCY_SECONDS = _histogram(
    "vllm:e2e_request_latency_seconds",
    "Histogram of e2e request latency in seconds.",
    _LATENCY,
)
REQUEST_QUEUE_TIME_SECONDS = _histogram(
    "vllm:request_queue_time_seconds",
    "Histogram of time spent in WAITING phase for request.",
    _LATENCY,
)
REQUEST_INFERENCE_TIME_SECONDS = _histogram(
    "vllm:request_inference_time_seconds",
    "Histogram of time spent in RUNNING phase for request.",
    _LATENCY,
)
REQUEST_PREFILL_TIME_SECONDS = _histogram(
    "vllm:request_prefill_time_seconds",
    "Histogram of time spent in PREFILL phase for request.",
    _LATENCY,
)
REQUEST_DECODE_TIME_SECONDS = _histogram(
    "vllm:request_decode_time_seconds",
    "Histogram of time spent in DECODE phase for request.",
    _LATENCY,
)
REQUEST_NUM_PREEMPTIONS = _histogram(
    "vllm:request_num_preemptions",
    "Histogram of the number of times a request was preempted.",
    _PREEMPTIONS,
)
REQUEST_PREFILL_KV_COMPUTED_TOKENS = _sizes(
    "vllm:request_prefill_kv_computed_tokens",
    "Histogram of new KV tokens computed during prefill (excluding cached tokens).",
)
CACHE_CONFIG_INFO = _gauge("vllm:cache_config_info", "Information of the LLMEngine CacheConfig")
NIXL_XFER_TIME_SECONDS = _histogram(
    "vllm:nixl_xfer_time_seconds",
    "Histogram of transfer duration for NIXL KV Cache transfers.",
    _TRANSFER_SECONDS,
)
NIXL_POST_TIME_SECONDS = _histogram(
    "vllm:nixl_post_time_seconds",
    "Histogram of transfer post time for NIXL KV Cache transfers.",
    _POST_SECONDS,
)
NIXL_BYTES_TRANSFERRED = _histogram(
    "vllm:nixl_bytes_transferred",
    "Histogram of bytes transferred per NIXL KV Cache transfers.",
    _TRANSFER_BYTES,
)
NIXL_NUM_DESCRIPTORS = _histogram(
    "vllm:nixl_num_descriptors",
    "Histogram of number of descriptors per NIXL  KV Cache transfers.",
    _DESCRIPTORS,
)
NIXL_NUM_FAILED_TRANSFERS = _counter(
    "vllm:nixl_num_failed_transfers_total",
    "Number of failed NIXL KV Cache transfers, including handshake and notification failures. NOTE: KV expiry is "
    "tracked separately in vllm:nixl_num_kv_expired_reqs.",
)
NIXL_NUM_FAILED_NOTIFICATIONS = _counter(
    "vllm:nixl_num_failed_notifications_total",
    "Number of failed NIXL KV Cache notifications. Retained for compatibility; these failures are also included in "
    "vllm:nixl_num_failed_transfers.",
)
NIXL_NUM_KV_EXPIRED_REQS = _counter(
    "vllm:nixl_num_kv_expired_reqs_total",
    "Number of requests that had their KV expire. NOTE: This metric is tracked on the P instance.",
)
NIXL_NUM_NOTIFICATIONS_AFTER_EXPIRY = _counter(
    "vllm:nixl_num_notifications_after_expiry_total",
    "Number of completion notifications for requests that were no longer tracked, usually because their KV lease "
    "expired. The KV blocks may have been reused before the transfer finished. Counted per notification (one per "
    "remote rank), not per request.",
)
NUM_REQUESTS_KV_FETCH_BY_STAGE = _gauge(
    "vllm:num_requests_kv_fetch_by_stage",
    "Number of waiting requests by async KV load stage. Stage labels: 'waiting_to_start' = needs an async KV load "
    "that has not started; 'in_progress' = load started and not yet reported finished; 'completed_waiting' = load "
    "finished, request not running yet.",
    "stage",
)
KV_OFFLOAD_TOTAL_BYTES = _counter("vllm:kv_offload_total_bytes_total", "Number of bytes offloaded by KV connector", "transfer_type")
KV_OFFLOAD_TOTAL_TIME = _counter(
    "vllm:kv_offload_total_time_total",
    "Total time measured by all KV offloading operations",
    "transfer_type",
)
KV_OFFLOAD_SIZE = _histogram(
    "vllm:kv_offload_size",
    "Histogram of KV offload transfer size, in bytes.",
    _OFFLOAD_BYTES,
    "transfer_type",
)
KV_OFFLOAD_TIERING_READ_BYTES = _counter(
    "vllm:kv_offload_tiering_read_bytes_total",
    "Total bytes read from secondary tiers into the primary tier, labeled by tier.",
    "tier",
)
KV_OFFLOAD_TIERING_READ_TIME = _counter(
    "vllm:kv_offload_tiering_read_time_total",
    "Total time spent reading from secondary tiers into the primary tier, in seconds, labeled by tier.",
    "tier",
)
KV_OFFLOAD_TIERING_WRITE_BYTES = _counter(
    "vllm:kv_offload_tiering_write_bytes_total",
    "Total bytes written from the primary tier to secondary tiers, labeled by tier.",
    "tier",
)
KV_OFFLOAD_TIERING_WRITE_TIME = _counter(
    "vllm:kv_offload_tiering_write_time_total",
    "Total time spent writing from the primary tier to secondary tiers, in seconds, labeled by tier.",
    "tier",
)
KV_OFFLOAD_TIERING_CHUNK_QUERIES = _counter(
    "vllm:kv_offload_tiering_chunk_queries_total",
    "Number of chunk lookup queries sent to a tier, labeled by tier.",
    "tier",
)
KV_OFFLOAD_TIERING_CHUNK_HITS = _counter(
    "vllm:kv_offload_tiering_chunk_hits_total",
    "Number of chunk lookup hits in a tier, labeled by tier.",
    "tier",
)
KV_OFFLOAD_LOAD_BYTES = _counter("vllm:kv_offload_load_bytes_total", "Total bytes loaded from offload storage to GPU.")
KV_OFFLOAD_LOAD_TIME = _counter("vllm:kv_offload_load_time_total", "Total load time from offload storage to GPU, in seconds.")
KV_OFFLOAD_LOAD_SIZE = _histogram(
    "vllm:kv_offload_load_size",
    "Histogram of KV offload load operation size, in bytes.",
    _OFFLOAD_BYTES,
)
KV_OFFLOAD_STORE_BYTES = _counter("vllm:kv_offload_store_bytes_total", "Total bytes stored from GPU to offload storage.")
KV_OFFLOAD_STORE_TIME = _counter("vllm:kv_offload_store_time_total", "Total store time from GPU to offload storage, in seconds.")
KV_OFFLOAD_STORE_SIZE = _histogram(
    "vllm:kv_offload_store_size",
    "Histogram of KV offload store operation size, in bytes.",
    _OFFLOAD_BYTES,
)

CORE = (
    NUM_REQUESTS_RUNNING,
    NUM_REQUESTS_WAITING,
    NUM_REQUESTS_WAITING_BY_REASON,
    KV_CACHE_USAGE_PERC,
    PREFIX_CACHE_QUERIES,
    PREFIX_CACHE_HITS,
    EXTERNAL_PREFIX_CACHE_QUERIES,
    EXTERNAL_PREFIX_CACHE_HITS,
    NUM_PREEMPTIONS,
    PROMPT_TOKENS,
    PROMPT_TOKENS_BY_SOURCE,
    PROMPT_TOKENS_CACHED,
    PROMPT_TOKENS_CACHED_BY_SOURCE,
    GENERATION_TOKENS,
    REQUEST_SUCCESS,
    REQUEST_PROMPT_TOKENS,
    REQUEST_GENERATION_TOKENS,
    ITERATION_TOKENS,
    REQUEST_MAX_NUM_GENERATION_TOKENS,
    REQUEST_PARAMS_N,
    REQUEST_PARAMS_MAX_TOKENS,
    TIME_TO_FIRST_TOKEN_SECONDS,
    INTER_TOKEN_LATENCY_SECONDS,
    REQUEST_TIME_PER_OUTPUT_TOKEN_SECONDS,
    E2E_REQUEST_LATENCY_SECONDS,
    REQUEST_QUEUE_TIME_SECONDS,
    REQUEST_INFERENCE_TIME_SECONDS,
    REQUEST_PREFILL_TIME_SECONDS,
    REQUEST_DECODE_TIME_SECONDS,
    REQUEST_NUM_PREEMPTIONS,
    REQUEST_PREFILL_KV_COMPUTED_TOKENS,
    CACHE_CONFIG_INFO,
    NUM_REQUESTS_KV_FETCH_BY_STAGE,
)
"""Every engine exposes these."""

NIXL = (
    NIXL_XFER_TIME_SECONDS,
    NIXL_POST_TIME_SECONDS,
    NIXL_BYTES_TRANSFERRED,
    NIXL_NUM_DESCRIPTORS,
    NIXL_NUM_FAILED_TRANSFERS,
    NIXL_NUM_FAILED_NOTIFICATIONS,
    NIXL_NUM_KV_EXPIRED_REQS,
    NIXL_NUM_NOTIFICATIONS_AFTER_EXPIRY,
)
"""Engines with the NIXL connector."""

OFFLOAD = (
    KV_OFFLOAD_TOTAL_BYTES,
    KV_OFFLOAD_TOTAL_TIME,
    KV_OFFLOAD_SIZE,
    KV_OFFLOAD_TIERING_READ_BYTES,
    KV_OFFLOAD_TIERING_READ_TIME,
    KV_OFFLOAD_TIERING_WRITE_BYTES,
    KV_OFFLOAD_TIERING_WRITE_TIME,
    KV_OFFLOAD_TIERING_CHUNK_QUERIES,
    KV_OFFLOAD_TIERING_CHUNK_HITS,
    KV_OFFLOAD_LOAD_BYTES,
    KV_OFFLOAD_LOAD_TIME,
    KV_OFFLOAD_LOAD_SIZE,
    KV_OFFLOAD_STORE_BYTES,
    KV_OFFLOAD_STORE_TIME,
    KV_OFFLOAD_STORE_SIZE,
)
"""Engines with native KV offloading (host memory, then a secondary tier)."""
