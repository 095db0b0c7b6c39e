"""Series of others that rules may rest on: those that some version of vLLM, LMCache or the store's exporter is known to have."""

import json
import re
from functools import cache

from stack.engines import lmcache_quantities as lq
from tests.alerts.promtool import ROOT

_DATA = ROOT / "tests" / "data"
_SAMPLE = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)[{ ]", re.MULTILINE)
_OWN = {"up", "process_start_time_seconds"}

# What is asked of LMCache under the names of all its versions, and a few of 0.5.6's that nothing but rules asks for.
_LMCACHE = {
    name
    for table in (lq.MULTI_PROCESS, lq.IN_PROCESS, lq.CONTROLLER, lq.COORDINATOR)
    for quantity in table
    for name in quantity.names
} | {
    "lmcache_mp_event_bus_queue_depth",
    "lmcache_mp_event_bus_drain_lag_seconds",
    "lmcache_mp_l1_staging_bytes",
}
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
    return frozenset(_OWN | recorded | of_vllm | _LMCACHE | _STORE | _FABRIC)
