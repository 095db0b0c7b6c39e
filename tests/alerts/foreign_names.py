"""Series of others that rules may rest on: those that some version of vLLM, LMCache or the store's exporter is known to have."""

import json
import re
from functools import cache

from tests.alerts.promtool import ROOT

_DATA = ROOT / "tests" / "data"
_SAMPLE = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)[{ ]", re.MULTILINE)
_OWN = {"up", "process_start_time_seconds"}

# LMCache 0.5.6's, in an exposition only once they happened, so not in the recording; and its in-process ones.
_LMCACHE = {
    "lmcache_mp_event_bus_dropped_events_total",
    "lmcache_mp_event_bus_subscriber_exceptions_total",
    "lmcache_mp_event_bus_queue_depth",
    "lmcache_mp_event_bus_drain_lag_seconds",
    "lmcache_mp_l1_allocation_failure_chunks_total",
    "lmcache_mp_l1_read_failure_chunks_total",
    "lmcache_mp_l2_prefetch_failure_chunks_total",
    "lmcache_mp_l1_evicted_chunks_total",
    "lmcache_mp_l1_staging_bytes",
    "lmcache_mp_num_inflight_l2_stores",
    "lmcache_mp_l2_store_submitted_requests_total",
    "lmcache_mp_l2_store_completed_requests_total",
    "lmcache:num_lookup_hits_total",
    "lmcache:num_hit_tokens_total",
}
_LMCACHE_HISTOGRAMS = {"lmcache_mp_l1_chunk_evict_reuse_gap_seconds", "lmcache_mp_l1_chunk_lifetime_seconds"}
# oliver006/redis_exporter's.
_STORE = {
    "redis_up", "redis_instance_info", "redis_evicted_keys_total", "redis_memory_used_bytes", "redis_memory_max_bytes",
    "redis_connected_clients", "redis_master_link_up", "redis_cluster_state", "redis_rdb_last_bgsave_status",
}  # fmt: skip
# node_exporter's, and those of EFA's exporter (a node_exporter with one collector more).
_FABRIC = {"node_amazonefa_rdma_read_bytes", "node_amazonefa_rdma_write_bytes", "node_infiniband_port_data_received_bytes_total"}
_PARTS = ("_bucket", "_sum", "_count")


@cache
def foreign_names() -> frozenset[str]:
    """Every sample name; of a vLLM metric whose kind is not told all that its kind could have."""
    recorded = {name for path in (_DATA / "expositions").glob("*.txt") for name in _SAMPLE.findall(path.read_text())}
    versions: dict[str, list[str]] = json.loads((_DATA / "vllm_metric_versions.json").read_text())
    of_vllm = {f"{name}{part}" for name in versions for part in ("", *_PARTS, *([] if name.endswith("_total") else ["_total"]))}
    of_lmcache = _LMCACHE | {f"{name}{part}" for name in _LMCACHE_HISTOGRAMS for part in _PARTS}
    return frozenset(_OWN | recorded | of_vllm | of_lmcache | _STORE | _FABRIC)
