"""What is asked of LMCache, under the names of its multi-process server (0.4.3 to 0.5.6) and of LMCache inside an engine.

No exposition of LMCache says its version. `since` is the inspected release that has a name: 0.4.3 and 0.5.6 of the server,
0.3.9 and 0.4.3 inside an engine. Names of releases in between, which still had 0.4.3's, are dated 0.5.0; LMCache documents them.
OpenTelemetry tells a counter from its first count on, so that a missing name is no 0 but where `beside` says so.
"""

from __future__ import annotations

from stack.engines.quantities import Alias, Fold, Quantity
from stack.engines.versions import Version
from stack.metrics.family import Unit

OLD: Version = (0, 4, 3)
BETWEEN: Version = (0, 5, 0)
_NEW: Version = (0, 5, 6)
_INSIDE: Version = (0, 3, 9)
_MILLISECOND, _MINUTE = 0.001, 60.0

_LOOKUP = "told from the first look-up on"
_ONCE = "told once it happened"
_L2 = "told once L2 was used"
_SAMPLED = "told once a sampled chunk was evicted or used again"
_MOVED = "told where LMCache itself moves the KV to and from a device"


def _counter(name: str, unit: Unit, *aliases: Alias, needs: str = _ONCE, beside: str | None = None) -> Quantity:
    return Quantity(f"lmcache_{name}", unit, Fold.COUNTER, aliases, needs, beside=beside)


def _gauge(name: str, unit: Unit, *aliases: Alias, fold: Fold = Fold.TOTAL, needs: str = "") -> Quantity:
    return Quantity(f"lmcache_{name}", unit, fold, aliases, needs)


def _histogram(name: str, *aliases: Alias, buckets: bool = True, needs: str = _SAMPLED) -> Quantity:
    return Quantity(f"lmcache_{name}", Unit.SECONDS, Fold.HISTOGRAM, aliases, needs, buckets=buckets)


def _mp(name: str, since: Version = _NEW, where: tuple[str, str] | None = None) -> Alias:
    return Alias(f"lmcache_mp_{name}", since, where=where)


def _old(name: str) -> Alias:
    return Alias(f"lmcache_mp_{name}", OLD, until=_NEW)


def _between(name: str) -> Alias:
    return Alias(f"lmcache_mp_{name}", BETWEEN, until=_NEW)


def _in(name: str, since: Version = _INSIDE, scale: float = 1.0) -> Alias:
    return Alias(f"lmcache:{name}", since, scale=scale)


# A server's: hits and loads

LOOKED_UP = _counter("lookup_tokens", Unit.TOKENS, _mp("lookup_requested_tokens_total", BETWEEN), needs=_LOOKUP)
FOUND = _counter("hit_tokens", Unit.TOKENS, _mp("lookup_hit_tokens_total", BETWEEN), needs=_LOOKUP)
FOUND_L1 = _counter("l1_hit_tokens", Unit.TOKENS, _mp("lookup_hit_l1_tokens_total"), needs=_LOOKUP)
FOUND_L2 = _counter("l2_hit_tokens", Unit.TOKENS, _mp("lookup_hit_l2_tokens_total"), needs=_LOOKUP)
LOOKUPS = _counter("lookups", Unit.REQUESTS, _mp("lookups_requests_total"), _old("sm_read_requests_total"), needs=_LOOKUP)
# The only hits of 0.4.3; a chunk counts once a rank and group of layers, and what was asked for is not told in this unit.
FOUND_L1_CHUNKS = _counter(
    "l1_hit_chunks", Unit.CHUNKS, _mp("lookup_hit_l1_keys_total"), _old("sm_read_succeed_keys_total"), needs=_LOOKUP
)
FOUND_L2_CHUNKS = _counter(
    "l2_hit_chunks", Unit.CHUNKS, _mp("lookup_hit_l2_keys_total"), _old("l2_prefetch_hit_keys_total"), needs=_LOOKUP
)
LOADED = _counter("loaded_chunks", Unit.CHUNKS, _mp("num_chunks_loaded_total"), needs=_MOVED)
LOADED_FROM_L2 = _counter(
    "l2_loaded_chunks", Unit.CHUNKS,
    _mp("l2_prefetch_load_completed_chunks_total"), _old("l2_prefetch_loaded_keys_total"), needs=_L2,
)  # fmt: skip
EARLY_EXITS = _counter("lookup_early_exits", Unit.REQUESTS, _mp("lookup_early_exit_requests_total"))

# A server's: contents and evictions

L1_BYTES = _gauge("l1_used_bytes", Unit.BYTES, _mp("l1_memory_usage_bytes"))
L1_RATIO = _gauge("l1_used", Unit.RATIO, _mp("l1_usage_ratio"), fold=Fold.MEAN)
L2_BYTES = _gauge("l2_believed_bytes", Unit.BYTES, _mp("l2_usage_bytes"), needs=_L2)
L1_WRITTEN = _counter("l1_written_chunks", Unit.CHUNKS, _mp("l1_write_chunks_total"), _old("l1_write_keys_total"))
L2_WRITTEN = _counter(
    "l2_written_chunks", Unit.CHUNKS,
    _mp("l2_store_completed_objects_chunks_total"), _old("l2_store_succeeded_keys_total"), needs=_L2,
)  # fmt: skip
L1_EVICTED = _counter(
    "l1_evicted_chunks", Unit.CHUNKS,
    _mp("l1_evicted_chunks_total"), _old("l1_evicted_keys_total"), beside="lmcache_mp_l1_eviction_loop_ticks_total",
)  # fmt: skip
L2_EVICTED = _counter("l2_evicted_chunks", Unit.CHUNKS, _mp("l2_evicted_objects_chunks_total"))
L1_LIFETIME = _histogram("l1_lifetime", _mp("l1_chunk_lifetime_seconds"))
L1_IDLE = _histogram("l1_idle_before_eviction", _mp("l1_chunk_idle_before_evict_seconds"))
L1_REUSE_GAP = _histogram("l1_reuse_gap", _mp("l1_chunk_reuse_gap_seconds"))
L1_EVICT_REUSE_GAP = _histogram("l1_evict_reuse_gap", _mp("l1_chunk_evict_reuse_gap_seconds"))

# A server's: what went wrong

NOT_ALLOCATED = _counter(
    "l1_not_allocated_chunks", Unit.CHUNKS,
    _mp("l1_allocation_failure_chunks_total"), _between("l1_allocation_failure_total"), _old("sm_write_failed_keys_total"),
)  # fmt: skip
L1_UNREAD = _counter(
    "l1_unread_chunks", Unit.CHUNKS, _mp("l1_read_failure_chunks_total"), _between("l1_read_failure_total")
)  # fmt: skip
L2_UNREAD = _counter(
    "l2_unread_chunks", Unit.CHUNKS,
    _mp("l2_prefetch_failure_chunks_total"), _between("l2_prefetch_failure_total"), _old("l2_prefetch_failed_keys_total"),
)  # fmt: skip
L2_NOT_STORED = _counter("l2_not_stored_chunks", Unit.CHUNKS, _old("l2_store_failed_keys_total"))
TIMEOUTS = _counter("timeouts", Unit.NONE, _mp("timeouts_total"))
DROPPED_EVENTS = _counter("dropped_events", Unit.NONE, _mp("event_bus_dropped_events_total"))
UNCOUNTED_EVENTS = _counter("uncounted_events", Unit.NONE, _mp("event_bus_subscriber_exceptions_total"))

# A server's: work under way

STORES_SUBMITTED = _counter(
    "l2_stores_submitted", Unit.REQUESTS, _mp("l2_store_submitted_requests_total"), _old("l2_store_tasks_total"), needs=_L2
)
STORES_COMPLETED = _counter(
    "l2_stores_completed", Unit.REQUESTS,
    _mp("l2_store_completed_requests_total"), _old("l2_store_completed_total"),
    needs=_L2, beside="lmcache_mp_l2_store_submitted_requests_total",
)  # fmt: skip
PREFETCHES = _gauge("prefetches_in_flight", Unit.NONE, _mp("active_prefetch_jobs"))
P2P_LOOKUPS = _gauge("p2p_lookups_in_flight", Unit.NONE, _mp("active_p2p_lookup_jobs"))
L2_STORES = _gauge("l2_stores_in_flight", Unit.NONE, _mp("num_inflight_l2_stores"))
L2_LOADS = _gauge("l2_loads_in_flight", Unit.NONE, _mp("num_inflight_l2_loads"))

DEVICE_STORES_SUBMITTED = _counter("device_stores_submitted", Unit.NONE, _mp("num_submitted_stores_total"), needs=_MOVED)
DEVICE_STORES_FINISHED = _counter(
    "device_stores_finished",
    Unit.NONE,
    _mp("num_finished_stores_total"),
    needs=_MOVED,
    beside="lmcache_mp_num_submitted_stores_total",
)
DEVICE_LOADS_SUBMITTED = _counter("device_loads_submitted", Unit.NONE, _mp("num_submitted_retrieves_total"), needs=_MOVED)
DEVICE_LOADS_FINISHED = _counter(
    "device_loads_finished", Unit.NONE,
    _mp("num_finished_retrieves_total"), needs=_MOVED, beside="lmcache_mp_num_submitted_retrieves_total",
)  # fmt: skip

# Of both phases the bytes are the same, and the time of a "kernel" is mostly waiting: only staging tells how KV moves.
_STAGING = ("phase", "staging")
STAGED_BYTES = _counter("staged_bytes", Unit.BYTES, _mp("transfer_phase_bytes_total", where=_STAGING), needs=_MOVED)
STAGED_SECONDS = _counter("staged_time", Unit.SECONDS, _mp("transfer_phase_elapsed_seconds_total", where=_STAGING), needs=_MOVED)

MULTI_PROCESS = (
    LOOKED_UP, FOUND, FOUND_L1, FOUND_L2, LOOKUPS, FOUND_L1_CHUNKS, FOUND_L2_CHUNKS, LOADED, LOADED_FROM_L2, EARLY_EXITS,
    L1_BYTES, L1_RATIO, L2_BYTES, L1_WRITTEN, L2_WRITTEN, L1_EVICTED, L2_EVICTED,
    L1_LIFETIME, L1_IDLE, L1_REUSE_GAP, L1_EVICT_REUSE_GAP,
    NOT_ALLOCATED, L1_UNREAD, L2_UNREAD, L2_NOT_STORED, TIMEOUTS, DROPPED_EVENTS, UNCOUNTED_EVENTS,
    STORES_SUBMITTED, STORES_COMPLETED, PREFETCHES, P2P_LOOKUPS, L2_STORES, L2_LOADS,
    DEVICE_STORES_SUBMITTED, DEVICE_STORES_FINISHED, DEVICE_LOADS_SUBMITTED, DEVICE_LOADS_FINISHED, STAGED_BYTES, STAGED_SECONDS,
)  # fmt: skip

# Inside an engine. Never retrieve_hit_rate: only what was found is retrieved, so it is 1 whatever happens.

INSIDE_LOOKED_UP = _counter("lookup_tokens", Unit.TOKENS, _in("num_lookup_tokens_total"), needs=_LOOKUP)
INSIDE_FOUND = _counter("hit_tokens", Unit.TOKENS, _in("num_lookup_hits_total"), needs=_LOOKUP)
INSIDE_LOADED = _counter("loaded_tokens", Unit.TOKENS, _in("num_hit_tokens_total"), needs=_LOOKUP)
INSIDE_L1_BYTES = _gauge("l1_used_bytes", Unit.BYTES, _in("local_cache_usage"))
INSIDE_L2_BYTES = _gauge("l2_believed_bytes", Unit.BYTES, _in("remote_cache_usage"), needs=_L2)
INSIDE_EVICTED = _counter("l1_evicted_chunks", Unit.CHUNKS, _in("local_cpu_evict_keys_count_total"))
INSIDE_NOT_EVICTED = _counter("l1_failed_evictions", Unit.NONE, _in("local_cpu_evict_failed_count_total"))
INSIDE_HEALTHY = _gauge("healthy", Unit.RATIO, _in("lmcache_is_healthy", OLD), fold=Fold.MEAN, needs="told from 0.4.3 on")
INSIDE_PING = _gauge("l2_ping", Unit.SECONDS, _in("remote_ping_latency", scale=_MILLISECOND), fold=Fold.MEAN, needs=_L2)
INSIDE_PINGS_FAILED = _counter("l2_pings_failed", Unit.NONE, _in("remote_ping_errors_total"), needs=_L2)
INSIDE_READ_BYTES = _counter("l2_read_bytes", Unit.BYTES, _in("num_remote_read_bytes_total"), needs=_L2)
INSIDE_READ_TIME = _histogram("l2_read_time", _in("remote_time_to_get", scale=_MILLISECOND), buckets=False, needs=_L2)
INSIDE_WRITTEN_BYTES = _counter("l2_written_bytes", Unit.BYTES, _in("num_remote_write_bytes_total"), needs=_L2)
INSIDE_WRITE_TIME = _histogram("l2_write_time", _in("remote_time_to_put", scale=_MILLISECOND), buckets=False, needs=_L2)
INSIDE_LIFESPAN = _histogram("request_lifespan", _in("request_cache_lifespan", scale=_MINUTE), buckets=False, needs=_ONCE)

IN_PROCESS = (
    INSIDE_LOOKED_UP, INSIDE_FOUND, INSIDE_LOADED, INSIDE_L1_BYTES, INSIDE_L2_BYTES, INSIDE_EVICTED, INSIDE_NOT_EVICTED,
    INSIDE_HEALTHY, INSIDE_PING, INSIDE_PINGS_FAILED,
    INSIDE_READ_BYTES, INSIDE_READ_TIME, INSIDE_WRITTEN_BYTES, INSIDE_WRITE_TIME, INSIDE_LIFESPAN,
)  # fmt: skip

# The controller of LMCaches inside engines, and of its index

INDEX_KEYS = _gauge("index_keys", Unit.KEYS, _in("cache_controller_kv_pool_keys_count", OLD))
INDEX_WORKERS = _gauge("index_workers", Unit.NONE, _in("cache_controller_registered_workers_count", OLD))
# By its kind a gauge, although it only grows.
INDEX_GAPS = _counter("index_gaps", Unit.NONE, _in("cache_controller_kv_op_seq_discontinuity_count", OLD))

CONTROLLER = (INDEX_KEYS, INDEX_WORKERS, INDEX_GAPS)

# The coordinator of several servers

PLACEMENTS = _gauge("directory_placements", Unit.CHUNKS, Alias("lmcache_coordinator_key_directory_placements", _NEW))
PLACEMENT_BYTES = _gauge("directory_bytes", Unit.BYTES, Alias("lmcache_coordinator_key_directory_placement_bytes", _NEW))

COORDINATOR = (PLACEMENTS, PLACEMENT_BYTES)
