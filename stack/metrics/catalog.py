"""Every metric family of kvdeck, once. No other module spells one of these names."""

from __future__ import annotations

from stack.metrics.family import Emitter, Family, Kind, Label, Merge, Unit

# 1 ms to 2 min: a warm TTFT on a GPU to a cold long prompt on a laptop's core.
LATENCY_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
# 1 ms to 10 s: a gap between two tokens.
TOKEN_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
# vLLM's own buckets of nixl_xfer_time_seconds are re-exposed where known; this is the declaration's default.
TRANSFER_BUCKETS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 5.0)

# Signed: what was expected minus what came. Powers of four blocks and more, and a bucket of its own for exactly right.
TOKEN_ERROR_BUCKETS = (-16384.0, -4096.0, -1024.0, -256.0, -64.0, -1.0, 0.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0)
SECONDS_ERROR_BUCKETS = (-10.0, -3.0, -1.0, -0.3, -0.1, -0.03, -0.01, 0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
REGRET_BUCKETS = (0.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, 65536.0)

CATALOG: dict[str, Family] = {}


def _add(
    name: str,
    kind: Kind,
    unit: Unit,
    emitter: Emitter,
    help_text: str,
    *labels: Label,
    buckets: tuple[float, ...] = (),
    merge: Merge | None = None,
) -> Family:
    if name in CATALOG:
        raise ValueError(f"metric family {name} is declared twice")
    family = Family(name, kind, unit, help_text, labels, emitter, buckets, merge)
    CATALOG[name] = family
    return family


_ENGINE = (Label.MODEL_NAME, Label.POOL, Label.REPLICA)

# The waterfall and the tiers -- exporter

PROMPT_TOKENS = _add(
    "kvdeck_prompt_tokens_total", Kind.COUNTER, Unit.TOKENS, Emitter.EXPORTER,
    "Prompt tokens by where their KV came from; the sources of one engine sum to its prompt tokens. With LMCache the split "
    "of l1, l2 and unknown is an estimate from LMCache's lookup hits. A DPD request counts on both engines: never sum over pools.",
    *_ENGINE, Label.SOURCE,
)  # fmt: skip
CACHE_LOOKUP_TOKENS = _add(
    "kvdeck_cache_lookup_tokens_total", Kind.COUNTER, Unit.TOKENS, Emitter.EXPORTER,
    "Tokens each tier was asked for, the denominator of its hit ratio: engine: vLLM's prefix cache queries; l1: tokens LMCache "
    "(whole chunks, so prompts below one do not count) or vLLM's own offloading was asked for; l2: those minus L1's hits; lmcache: "
    "l1 and l2 where LMCache does not tell them apart. Tiers overlap: do not sum over tier.",
    *_ENGINE, Label.TIER,
)  # fmt: skip
CACHE_HIT_TOKENS = _add(
    "kvdeck_cache_hit_tokens_total", Kind.COUNTER, Unit.TOKENS, Emitter.EXPORTER,
    "Tokens each tier found, of kvdeck_cache_lookup_tokens_total. Found is not loaded: see kvdeck_prompt_tokens_total. "
    "Tiers overlap: do not sum over tier.",
    *_ENGINE, Label.TIER,
)  # fmt: skip
CACHE_USED_BYTES = _add(
    "kvdeck_cache_used_bytes", Kind.GAUGE, Unit.BYTES, Emitter.EXPORTER,
    "Bytes of KV cache a tier holds; absent where it cannot be known. A shared store appears once, not per engine.",
    *_ENGINE, Label.TIER,
)  # fmt: skip
CACHE_CAPACITY_BYTES = _add(
    "kvdeck_cache_capacity_bytes", Kind.GAUGE, Unit.BYTES, Emitter.EXPORTER,
    "Bytes of KV cache a tier can hold; absent where it cannot be known or has no limit.",
    *_ENGINE, Label.TIER,
)  # fmt: skip
CACHE_USED_RATIO = _add(
    "kvdeck_cache_used_ratio", Kind.GAUGE, Unit.RATIO, Emitter.EXPORTER,
    "Used share of a tier from 0 to 1, as its owner reports it. Average or take the maximum, never sum.",
    *_ENGINE, Label.TIER,
)  # fmt: skip
CACHE_EVICTED_CHUNKS = _add(
    "kvdeck_cache_evicted_chunks_total", Kind.COUNTER, Unit.CHUNKS, Emitter.EXPORTER,
    "Chunks LMCache evicted by itself, one a rank. Chunks, blocks and keys are different units: never add them. What the store "
    "evicts behind LMCache's back is kvdeck_cache_evicted_keys_total, and kvdeck_cache_load_failures_total with not_found.",
    *_ENGINE, Label.TIER,
)  # fmt: skip
CACHE_EVICTED_KEYS = _add(
    "kvdeck_cache_evicted_keys_total", Kind.COUNTER, Unit.KEYS, Emitter.EXPORTER,
    "L2 keys the store evicted, by its own count (LMCache does not see these).",
    Label.REPLICA, Label.TIER,
)  # fmt: skip
CACHE_EVICTED_BLOCKS = _add(
    "kvdeck_cache_evicted_blocks_total", Kind.COUNTER, Unit.BLOCKS, Emitter.ROUTER,
    "Blocks that left an engine's own KV cache, from its KV events.",
    Label.MODEL_NAME, Label.POOL, Label.BACKEND,
)  # fmt: skip

# LMCache -- exporter

CACHE_SERVER_INFO = _add(
    "kvdeck_cache_server_info", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1 for each LMCache that is read, with where it works, by the names it uses: multi_process, in_process (inside an engine), "
    "controller (of those), coordinator (of servers), or silent: it has told nothing yet, as before a first look-up; that is no 0.",
    Label.REPLICA, Label.MODE,
)  # fmt: skip
CACHE_LOOKUPS = _add(
    "kvdeck_cache_lookups_total", Kind.COUNTER, Unit.REQUESTS, Emitter.EXPORTER,
    "Look-ups that LMCache's server completed, those that found nothing among them.",
    Label.MODEL_NAME, Label.REPLICA,
)  # fmt: skip
CACHE_HIT_CHUNKS = _add(
    "kvdeck_cache_hit_chunks_total", Kind.COUNTER, Unit.CHUNKS, Emitter.EXPORTER,
    "Chunks LMCache's server found by tier, one a rank and group of layers; of 0.4.3 the only hits it tells. How many were asked "
    "for is not told in this unit: for ratios see kvdeck_cache_hit_tokens_total.",
    Label.MODEL_NAME, Label.REPLICA, Label.TIER,
)  # fmt: skip
CACHE_STORED_CHUNKS = _add(
    "kvdeck_cache_stored_chunks_total", Kind.COUNTER, Unit.CHUNKS, Emitter.EXPORTER,
    "Chunks LMCache's server put into a tier, one a rank; into l1 also those it loads from l2.",
    Label.MODEL_NAME, Label.REPLICA, Label.TIER,
)  # fmt: skip
CACHE_LOADED_TOKENS = _add(
    "kvdeck_cache_loaded_tokens_total", Kind.COUNTER, Unit.TOKENS, Emitter.EXPORTER,
    "Tokens whose KV LMCache inside an engine really loaded, of those found in kvdeck_cache_hit_tokens_total.",
    *_ENGINE, Label.TIER,
)  # fmt: skip
CACHE_LOADED_CHUNKS = _add(
    "kvdeck_cache_loaded_chunks_total", Kind.COUNTER, Unit.CHUNKS, Emitter.EXPORTER,
    "Chunks LMCache's server really loaded: l1: from L1 to an engine, where LMCache itself moves the KV; l2: from L2 to L1.",
    Label.MODEL_NAME, Label.REPLICA, Label.TIER,
)  # fmt: skip
CACHE_LOAD_FAILURES = _add(
    "kvdeck_cache_load_failures_total", Kind.COUNTER, Unit.CHUNKS, Emitter.EXPORTER,
    "Chunks LMCache believed to have and could not load: not_found (of l2: the store dropped it, unknown to LMCache), "
    "write_locked, l1_oom, l1_contended, other, and unspecified where its version gives no reason. Told once it happened.",
    Label.MODEL_NAME, Label.REPLICA, Label.TIER, Label.REASON,
)  # fmt: skip
CACHE_EARLY_EXITS = _add(
    "kvdeck_cache_lookup_early_exits_total", Kind.COUNTER, Unit.REQUESTS, Emitter.EXPORTER,
    "Look-ups that LMCache ended without looking, and counts neither as asked for nor as found. Told once it happened.",
    Label.MODEL_NAME, Label.REPLICA, Label.REASON,
)  # fmt: skip
CACHE_BELIEVED_BYTES = _add(
    "kvdeck_cache_believed_bytes", Kind.GAUGE, Unit.BYTES, Emitter.EXPORTER,
    "Bytes LMCache believes to have in the tier behind it. What the store really holds is kvdeck_cache_used_bytes of the store: it "
    "may have dropped some, and several servers may share it.",
    *_ENGINE, Label.TIER,
)  # fmt: skip
CACHE_HEALTHY = _add(
    "kvdeck_cache_healthy_ratio", Kind.GAUGE, Unit.RATIO, Emitter.EXPORTER,
    "Share of LMCache's workers inside an engine that say they are healthy; below 1 the others cache nothing, without a word. "
    "Absent before LMCache 0.4.3.",
    *_ENGINE,
)  # fmt: skip
CACHE_L2_PING = _add(
    "kvdeck_cache_l2_ping_seconds", Kind.GAUGE, Unit.SECONDS, Emitter.EXPORTER,
    "How long LMCache inside an engine last waited for L2 to answer a ping, the mean of its workers.",
    *_ENGINE,
)  # fmt: skip
CACHE_L2_PING_FAILURES = _add(
    "kvdeck_cache_l2_ping_failures_total", Kind.COUNTER, Unit.NONE, Emitter.EXPORTER,
    "Pings of LMCache inside an engine that L2 did not answer: it is then not used.",
    *_ENGINE,
)  # fmt: skip
CACHE_L2_STORES_SUBMITTED = _add(
    "kvdeck_cache_l2_stores_submitted_total", Kind.COUNTER, Unit.REQUESTS, Emitter.EXPORTER,
    "Stores to L2 that LMCache submitted; it names no adapter. What is not completed is backlog or lost.",
    Label.MODEL_NAME, Label.REPLICA,
)  # fmt: skip
CACHE_L2_STORES_COMPLETED = _add(
    "kvdeck_cache_l2_stores_completed_total", Kind.COUNTER, Unit.REQUESTS, Emitter.EXPORTER,
    "Stores to L2 that ended, well or not, by type of adapter: two adapters of one type count together. Sum over `adapter` before "
    "comparing with those submitted.",
    Label.MODEL_NAME, Label.REPLICA, Label.ADAPTER,
)  # fmt: skip
CACHE_IN_FLIGHT = _add(
    "kvdeck_cache_operations_in_flight", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "What LMCache's server has under way: prefetches, look-ups at peers, stores to and loads from L2.",
    Label.MODEL_NAME, Label.REPLICA, Label.OPERATION,
)  # fmt: skip
CACHE_DEVICE_TRANSFERS_SUBMITTED = _add(
    "kvdeck_cache_device_transfers_submitted_total", Kind.COUNTER, Unit.NONE, Emitter.EXPORTER,
    "Copies of KV between LMCache's server and a device that were begun, where LMCache itself moves the KV.",
    Label.MODEL_NAME, Label.REPLICA, Label.DIRECTION,
)  # fmt: skip
CACHE_DEVICE_TRANSFERS_FINISHED = _add(
    "kvdeck_cache_device_transfers_finished_total", Kind.COUNTER, Unit.NONE, Emitter.EXPORTER,
    "Of kvdeck_cache_device_transfers_submitted_total those that ended, also those that moved nothing. The rest runs, or is stuck.",
    Label.MODEL_NAME, Label.REPLICA, Label.DIRECTION,
)  # fmt: skip
CACHE_TIMEOUTS = _add(
    "kvdeck_cache_timeouts_total", Kind.COUNTER, Unit.NONE, Emitter.EXPORTER,
    "Operations of LMCache's server that ran out of time. Told once it happened.",
    Label.MODEL_NAME, Label.REPLICA,
)  # fmt: skip
CACHE_DROPPED_EVENTS = _add(
    "kvdeck_cache_dropped_events_total", Kind.COUNTER, Unit.NONE, Emitter.EXPORTER,
    "Events LMCache's server lost before they were counted: all its counters are too low from then on.",
    Label.MODEL_NAME, Label.REPLICA,
)  # fmt: skip
CACHE_COUNTERS_DOUBTFUL = _add(
    "kvdeck_cache_counters_doubtful", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1 where an LMCache's counters are too low since it started: events_dropped, events_uncounted (a counter failed), or, of "
    "the controller, index_gaps (it lost what engines told it). 0 where it says that this did not happen; else absent.",
    Label.MODEL_NAME, Label.POOL, Label.REPLICA, Label.REASON,
)  # fmt: skip
CACHE_INDEX_KEYS = _add(
    "kvdeck_cache_index_keys", Kind.GAUGE, Unit.KEYS, Emitter.EXPORTER,
    "Keys in the index that LMCache's controller keeps of the LMCaches inside engines.",
    Label.MODEL_NAME, Label.REPLICA,
)  # fmt: skip
CACHE_INDEX_WORKERS = _add(
    "kvdeck_cache_index_workers", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "Workers of LMCaches inside engines that are registered at LMCache's controller.",
    Label.MODEL_NAME, Label.REPLICA,
)  # fmt: skip
CACHE_DIRECTORY_PLACEMENTS = _add(
    "kvdeck_cache_directory_placements", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "Copies of chunks that LMCache's coordinator knows of.",
    Label.MODEL_NAME, Label.REPLICA, Label.TIER,
)  # fmt: skip
CACHE_DIRECTORY_BYTES = _add(
    "kvdeck_cache_directory_bytes", Kind.GAUGE, Unit.BYTES, Emitter.EXPORTER,
    "Bytes of the copies that LMCache's coordinator knows of.",
    Label.MODEL_NAME, Label.REPLICA, Label.TIER,
)  # fmt: skip

# The shared store itself -- exporter

STORE_KEYS = _add(
    "kvdeck_store_keys", Kind.GAUGE, Unit.KEYS, Emitter.EXPORTER,
    "Keys in the store's database that the exporter was pointed at, of whatever kind; absent where DBSIZE is refused.",
    Label.REPLICA,
)  # fmt: skip
STORE_SAMPLED_KEYS = _add(
    "kvdeck_store_sampled_keys", Kind.GAUGE, Unit.KEYS, Emitter.EXPORTER,
    "Keys that the exporter looked at in its last scrapes: the sample that kvdeck_store_kv_keys and _kv_bytes are estimated from. "
    "As many as kvdeck_store_keys: all. Absent where SCAN is refused or switched off.",
    Label.REPLICA,
)  # fmt: skip
STORE_KV_KEYS = _add(
    "kvdeck_store_kv_keys", Kind.GAUGE, Unit.KEYS, Emitter.EXPORTER,
    "Keys with a model's KV in the store, an estimate: the model's share of kvdeck_store_sampled_keys times kvdeck_store_keys. "
    "LMCache in engines keeps two keys a chunk. A model absent here has few keys, if any.",
    Label.MODEL_NAME, Label.REPLICA,
)  # fmt: skip
STORE_KV_BYTES = _add(
    "kvdeck_store_kv_bytes", Kind.GAUGE, Unit.BYTES, Emitter.EXPORTER,
    "Memory of those keys, an estimate: kvdeck_store_kv_keys times the mean size of those measured, some 20 a scrape. "
    "Absent where MEMORY USAGE is refused.",
    Label.MODEL_NAME, Label.REPLICA,
)  # fmt: skip
STORE_HITS = _add(
    "kvdeck_store_hits_total", Kind.COUNTER, Unit.KEYS, Emitter.EXPORTER,
    "Keys that commands looked up in the store and found, by its own count, whoever asked.",
    Label.REPLICA,
)  # fmt: skip
STORE_MISSES = _add(
    "kvdeck_store_misses_total", Kind.COUNTER, Unit.KEYS, Emitter.EXPORTER,
    "Keys that commands looked up in the store and did not find, by its own count, whoever asked.",
    Label.REPLICA,
)  # fmt: skip
STORE_EXPIRED_KEYS = _add(
    "kvdeck_store_expired_keys_total", Kind.COUNTER, Unit.KEYS, Emitter.EXPORTER,
    "Keys whose time to live ran out. Those that the store evicted for want of memory are kvdeck_cache_evicted_keys_total.",
    Label.REPLICA,
)  # fmt: skip
STORE_PING = _add(
    "kvdeck_store_ping_seconds", Kind.GAUGE, Unit.SECONDS, Emitter.EXPORTER,
    "How long one PING took on an open connection, as the exporter saw it; absent where PING is refused.",
    Label.REPLICA,
)  # fmt: skip
STORE_CLIENTS = _add(
    "kvdeck_store_clients", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "Connections of clients to the store, the exporter's own among them.",
    Label.REPLICA,
)  # fmt: skip
STORE_REJECTED_CONNECTIONS = _add(
    "kvdeck_store_rejected_connections_total", Kind.COUNTER, Unit.NONE, Emitter.EXPORTER,
    "Connections that the store refused since it had reached maxclients.",
    Label.REPLICA,
)  # fmt: skip
STORE_UPTIME = _add(
    "kvdeck_store_uptime_seconds", Kind.GAUGE, Unit.SECONDS, Emitter.EXPORTER,
    "Time since the store started; a restart begins its counters anew, and empties it where it does not persist.",
    Label.REPLICA,
)  # fmt: skip
STORE_POLICY = _add(
    "kvdeck_store_policy_info", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1, with the store's maxmemory-policy. All but noeviction make it drop keys by itself when it is full, unknown to LMCache.",
    Label.REPLICA, Label.POLICY,
)  # fmt: skip
STORE_REPLICAS = _add(
    "kvdeck_store_connected_replicas", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "Replicas connected to the store; absent where it is a replica itself.",
    Label.REPLICA,
)  # fmt: skip
STORE_REPLICA_LINK_UP = _add(
    "kvdeck_store_replica_link_up", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1 while the store, a replica, is linked to its primary, 0 while not; absent where it is a primary.",
    Label.REPLICA,
)  # fmt: skip
STORE_CLUSTER_OK = _add(
    "kvdeck_store_cluster_ok", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1 while the store's cluster serves, as this node sees it, 0 while not; absent outside cluster mode "
    "and where CLUSTER INFO is refused.",
    Label.REPLICA,
)  # fmt: skip
STORE_PERSISTENCE_OK = _add(
    "kvdeck_store_persistence_ok", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1 when the store's last snapshot and append went well, 0 when one failed: the store may then refuse writes.",
    Label.REPLICA,
)  # fmt: skip

CACHE_L2_ADDRESS_STATE = _add(
    "kvdeck_cache_l2_address_state", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1, with how the L2 that an LMCache says it uses stands to the one it should use (--l2.expected-url): equal, different, "
    "absent: it has none, or unknown: it did not say.",
    Label.REPLICA, Label.STATE,
)  # fmt: skip

# HyperPod's tiered storage, on the exporter's node: Prometheus' own labels tell nodes apart -- exporter

TIER_DAEMON_REACHABLE = _add(
    "kvdeck_tier_daemon_reachable", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1 when HyperPod's tiered storage on the exporter's node answers HTTP, whatever it answers, 0 when not within a second.",
)  # fmt: skip
TIER_DAEMON_SHARED_MEMORY_PRESENT = _add(
    "kvdeck_tier_daemon_shared_memory_present", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1 when the segment that the daemon shares with engines is there, 0 when not; absent where the exporter may not look. "
    "It has to see the node's own /dev/shm: a container has another one.",
)  # fmt: skip
TIER_DAEMON_SHARED_MEMORY_BYTES = _add(
    "kvdeck_tier_daemon_shared_memory_bytes", Kind.GAUGE, Unit.BYTES, Emitter.EXPORTER,
    "Size of that segment: what the daemon may hold of it, not what it holds.",
)  # fmt: skip

# RDMA devices of the exporter's node: Prometheus' own labels tell nodes apart -- exporter

_DEVICE = (Label.DEVICE, Label.PORT)
FABRIC_PORTS = _add(
    "kvdeck_fabric_ports", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "Ports of RDMA devices (EFA, InfiniBand, RoCE) on the exporter's node. 0: KV can only come over TCP.",
)  # fmt: skip
FABRIC_LINK = _add(
    "kvdeck_fabric_link_bytes_per_second", Kind.GAUGE, Unit.BYTES, Emitter.EXPORTER,
    "What the link of an active port can carry, one way, as the kernel tells it. Older drivers of EFA say 100 Gbit/s of any link.",
    *_DEVICE,
)  # fmt: skip
FABRIC_BYTES = _add(
    "kvdeck_fabric_bytes_total", Kind.COUNTER, Unit.BYTES, Emitter.EXPORTER,
    "Bytes that went over a port, of whatever kind, by the device's own count; receive and send are both ends of one fabric.",
    *_DEVICE, Label.DIRECTION,
)  # fmt: skip
FABRIC_RDMA_BYTES = _add(
    "kvdeck_fabric_rdma_bytes_total", Kind.COUNTER, Unit.BYTES, Emitter.EXPORTER,
    "Bytes of RDMA: read and write are what this node began, read_by_peer and written_by_peer what others did with its memory. "
    "Absent where the device does not count them (all but EFA).",
    *_DEVICE, Label.OPERATION,
)  # fmt: skip
FABRIC_RDMA_OPERATIONS = _add(
    "kvdeck_fabric_rdma_operations_total", Kind.COUNTER, Unit.NONE, Emitter.EXPORTER,
    "RDMA reads and writes that this node began.",
    *_DEVICE, Label.OPERATION,
)  # fmt: skip
FABRIC_RDMA_ERRORS = _add(
    "kvdeck_fabric_rdma_errors_total", Kind.COUNTER, Unit.NONE, Emitter.EXPORTER,
    "RDMA reads and writes of this node that ended in an error.",
    *_DEVICE, Label.OPERATION,
)  # fmt: skip
FABRIC_RETRANSMITTED_BYTES = _add(
    "kvdeck_fabric_retransmitted_bytes_total", Kind.COUNTER, Unit.BYTES, Emitter.EXPORTER,
    "Bytes that EFA sent again; absent with drivers that do not count them.",
    *_DEVICE,
)  # fmt: skip
FABRIC_RETRANSMITTED_PACKETS = _add(
    "kvdeck_fabric_retransmitted_packets_total", Kind.COUNTER, Unit.NONE, Emitter.EXPORTER,
    "Packets that EFA sent again; absent with drivers that do not count them.",
    *_DEVICE,
)  # fmt: skip
FABRIC_DROPPED_PACKETS = _add(
    "kvdeck_fabric_dropped_packets_total", Kind.COUNTER, Unit.NONE, Emitter.EXPORTER,
    "Packets that EFA received and dropped.",
    *_DEVICE,
)  # fmt: skip
FABRIC_EVENTS = _add(
    "kvdeck_fabric_connection_events_total", Kind.COUNTER, Unit.NONE, Emitter.EXPORTER,
    "Times that EFA waited too long for a peer, by reason: retransmit_timeout, unresponsive_remote, impaired_remote.",
    *_DEVICE, Label.REASON,
)  # fmt: skip

# KV transfer between prefill and decode -- exporter

KV_TRANSFER_BYTES = _add(
    "kvdeck_kv_transfer_bytes_total", Kind.COUNTER, Unit.BYTES, Emitter.EXPORTER,
    "Bytes of KV cache moved between engines, or to and from what lies behind them. Throughput is rate(bytes); bandwidth is "
    "rate(bytes) / rate(duration_sum).",
    *_ENGINE, Label.TRANSPORT, Label.DIRECTION,
)  # fmt: skip
KV_TRANSFER_DURATION = _add(
    "kvdeck_kv_transfer_duration_seconds", Kind.HISTOGRAM, Unit.SECONDS, Emitter.EXPORTER,
    "Duration of one KV transfer, one sample a tensor-parallel rank.",
    *_ENGINE, Label.TRANSPORT, Label.DIRECTION, buckets=TRANSFER_BUCKETS,
)  # fmt: skip
KV_TRANSFER_BUSY = _add(
    "kvdeck_kv_transfer_busy_seconds_total", Kind.COUNTER, Unit.SECONDS, Emitter.EXPORTER,
    "Time KV transfers took in all, of transports that do not tell each one's. Bandwidth is rate(bytes) / rate of this.",
    *_ENGINE, Label.TRANSPORT, Label.DIRECTION,
)  # fmt: skip
KV_TRANSFER_FAILURES = _add(
    "kvdeck_kv_transfer_failures_total", Kind.COUNTER, Unit.NONE, Emitter.EXPORTER,
    "KV transfers that failed (the decode engine recomputes), and KV that expired on the prefill engine before anyone came.",
    *_ENGINE, Label.TRANSPORT, Label.REASON,
)  # fmt: skip
KV_TRANSFER_FAILURES_DOUBTFUL = _add(
    "kvdeck_kv_transfer_failures_doubtful", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1 while nearly every KV transfer since the engine's start counts as failed: NIXL without telemetry counts completed ones so, "
    "too; see whether requests succeed. Absent below ten transfers.",
    *_ENGINE, Label.TRANSPORT,
)  # fmt: skip

CACHE_RESIDENCY = _add(
    "kvdeck_cache_residency_seconds", Kind.HISTOGRAM, Unit.SECONDS, Emitter.EXPORTER,
    "A sampled block's or chunk's stay in a tier: how long it lived, lay unused before it was evicted, waited between two uses, "
    "and from its eviction to its next use (small means that the tier is too small). A few of the source's own buckets. "
    "Of engines only with --kv-cache-metrics; absent otherwise, which says nothing of evictions.",
    *_ENGINE, Label.TIER, Label.EVENT, buckets=LATENCY_BUCKETS,
)  # fmt: skip
CACHE_ALLOCATION_FAILURES = _add(
    "kvdeck_cache_allocation_failures_total", Kind.COUNTER, Unit.NONE, Emitter.EXPORTER,
    "Times (of LMCache: chunks) a tier did not take KV that was to be put there: no room for a store or a promotion from the tier "
    "behind it, backpressure (too slow), a put that failed; unspecified where LMCache's version gives no reason.",
    *_ENGINE, Label.TIER, Label.REASON,
)  # fmt: skip

# Engines -- exporter

ENGINE_REQUESTS = _add(
    "kvdeck_engine_requests", Kind.GAUGE, Unit.REQUESTS, Emitter.EXPORTER,
    "Requests inside an engine: running, or waiting to be scheduled. Engines refresh these only when they step.",
    *_ENGINE, Label.STATE,
)  # fmt: skip
ENGINE_GENERATED_TOKENS = _add(
    "kvdeck_engine_generated_tokens_total", Kind.COUNTER, Unit.TOKENS, Emitter.EXPORTER,
    "Tokens an engine generated.",
    *_ENGINE,
)  # fmt: skip

ENGINE_PREEMPTIONS = _add(
    "kvdeck_engine_preemptions_total", Kind.COUNTER, Unit.NONE, Emitter.EXPORTER,
    "Times an engine took a running request's KV blocks away; its prompt is computed again.",
    *_ENGINE,
)  # fmt: skip
ENGINE_PHASE_DURATION = _add(
    "kvdeck_engine_phase_duration_seconds", Kind.HISTOGRAM, Unit.SECONDS, Emitter.EXPORTER,
    "Where a request's time in an engine went: queue, prefill, decode; for fleets without kvdeck's router. A few of vLLM's own "
    "buckets, whose lowest is 0.3 s: quantiles below that are unknown, whatever PromQL interpolates.",
    *_ENGINE, Label.PHASE, buckets=(0.3, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 240.0),
)  # fmt: skip

# Other routers -- exporter

_FOREIGN = (Label.REPLICA, Label.PRODUCT)
FOREIGN_REQUESTS = _add(
    "kvdeck_foreign_router_requests_total", Kind.COUNTER, Unit.REQUESTS, Emitter.EXPORTER,
    "Requests another product's router took in, by its own count.",
    *_FOREIGN,
)  # fmt: skip
FOREIGN_FAILED = _add(
    "kvdeck_foreign_router_failed_requests_total", Kind.COUNTER, Unit.REQUESTS, Emitter.EXPORTER,
    "Requests that another product's router counts as failed. Absent where it does not count them (vllm-router), or not before the "
    "first (production-stack).",
    *_FOREIGN,
)  # fmt: skip
FOREIGN_DURATION = _add(
    "kvdeck_foreign_router_request_duration_seconds", Kind.HISTOGRAM, Unit.SECONDS, Emitter.EXPORTER,
    "Whole time of a request as another product's router measured it, in its own buckets. Products begin and end it at moments of "
    "their own.",
    *_FOREIGN, buckets=LATENCY_BUCKETS,
)  # fmt: skip
FOREIGN_FIRST_BYTE = _add(
    "kvdeck_foreign_router_time_to_first_byte_seconds", Kind.HISTOGRAM, Unit.SECONDS, Emitter.EXPORTER,
    "Time to the first byte of the answer as another product's router measured it, in its own buckets; of streams, about the TTFT.",
    *_FOREIGN, buckets=LATENCY_BUCKETS,
)  # fmt: skip
FOREIGN_SENT = _add(
    "kvdeck_foreign_router_sent_requests_total", Kind.COUNTER, Unit.REQUESTS, Emitter.EXPORTER,
    "Requests another product's router sent to each engine; engines that are not in the target list count together as unlisted.",
    *_FOREIGN, Label.BACKEND,
)  # fmt: skip
FOREIGN_IN_FLIGHT = _add(
    "kvdeck_foreign_router_in_flight_requests", Kind.GAUGE, Unit.REQUESTS, Emitter.EXPORTER,
    "Requests another product's router has under way, by engine; without `backend` where the router stands before one engine.",
    *_FOREIGN, Label.BACKEND,
)  # fmt: skip
FOREIGN_HEALTHY = _add(
    "kvdeck_foreign_router_engine_healthy", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1 where another product's router holds an engine of the target list for healthy, else 0.",
    *_FOREIGN, Label.BACKEND,
)  # fmt: skip

# The exporter about itself

SCRAPE_COLLECTOR_SUCCESS = _add(
    "kvdeck_scrape_collector_success", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1 when the collector read this target in this scrape, 0 when it could not (its series are then absent, not 0).",
    Label.COLLECTOR, Label.TARGET,
)  # fmt: skip
SCRAPE_COLLECTOR_DURATION = _add(
    "kvdeck_scrape_collector_duration_seconds", Kind.GAUGE, Unit.SECONDS, Emitter.EXPORTER,
    "How long the collector took for this target in this scrape.",
    Label.COLLECTOR, Label.TARGET,
)  # fmt: skip
EXPORTER_SAMPLE_AGE = _add(
    "kvdeck_exporter_sample_age_seconds", Kind.GAUGE, Unit.SECONDS, Emitter.EXPORTER,
    "Age of the samples beside it, with --cache.interval. Samples older than two intervals are left out, and this alone is told.",
)  # fmt: skip
EXPORTER_DISCOVERY_SUCCESS = _add(
    "kvdeck_exporter_discovery_success", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1 while engines' lists of this kind (files, Kubernetes' pods) can be read, 0 while one cannot: engines that came since are "
    "then missing, and those that went show as failing.",
    Label.MECHANISM,
)  # fmt: skip
QUANTITY_STATE = _add(
    "kvdeck_quantity_state", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "Targets of which a quantity is in this state: present, renamed (told under an older name), hidden (this version shows it only "
    "with a flag), absent, not_applicable (of a feature that is not in use), stale (told, but not refreshed) or reset (a counter "
    "that just began anew). "
    "`kvdeck exporter explain` has each target's reasons.",
    Label.QUANTITY, Label.STATE,
)  # fmt: skip
TARGET_INFO = _add(
    "kvdeck_target_info", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1 for each engine that is listed, with its role, its version (while it can be read) and whether it is emulated.",
    *_ENGINE, Label.VERSION, Label.EMULATED,
)  # fmt: skip
BUILD_INFO = _add(
    "kvdeck_build_info", Kind.GAUGE, Unit.NONE, Emitter.EXPORTER,
    "1, with the version of kvdeck.",
    Label.VERSION,
)  # fmt: skip

# The router

ROUTER_REQUESTS = _add(
    "kvdeck_router_requests_total", Kind.COUNTER, Unit.NONE, Emitter.ROUTER,
    "Requests answered, by path and class of status; aborted means the client left.",
    Label.MODEL_NAME, Label.PATH, Label.CODE,
)  # fmt: skip
ROUTER_IN_FLIGHT = _add(
    "kvdeck_router_in_flight_requests", Kind.GAUGE, Unit.REQUESTS, Emitter.ROUTER,
    "Requests this router has sent to an engine and not yet finished; its own count.",
    Label.MODEL_NAME, Label.POOL, Label.BACKEND, merge=Merge.SUM,
)  # fmt: skip
ROUTER_PHASE_DURATION = _add(
    "kvdeck_router_request_phase_duration_seconds", Kind.HISTOGRAM, Unit.SECONDS, Emitter.ROUTER,
    "Where a request's time went. The phases of one request add up to its time from the last byte in to the last byte out. "
    "kv_transfer only where the engine reports it per request: vLLM does not, and counts it in decode_queue.",
    Label.MODEL_NAME, Label.PHASE, Label.PATH, buckets=LATENCY_BUCKETS,
)  # fmt: skip
ROUTER_TTFT = _add(
    "kvdeck_router_time_to_first_token_seconds", Kind.HISTOGRAM, Unit.SECONDS, Emitter.ROUTER,
    "From the request's last byte in to the first token out, as the client sees it (streamed requests).",
    Label.MODEL_NAME, Label.PATH, buckets=LATENCY_BUCKETS,
)  # fmt: skip
ROUTER_ITL = _add(
    "kvdeck_router_inter_token_latency_seconds", Kind.HISTOGRAM, Unit.SECONDS, Emitter.ROUTER,
    "Time between two tokens out, as the client sees it (streamed requests).",
    Label.MODEL_NAME, Label.PATH, buckets=TOKEN_BUCKETS,
)  # fmt: skip
ROUTER_DECISIONS = _add(
    "kvdeck_router_decisions_total", Kind.COUNTER, Unit.NONE, Emitter.ROUTER,
    "Routing decisions by strategy, path, decode engine and reason.",
    Label.MODEL_NAME, Label.STRATEGY, Label.PATH, Label.BACKEND, Label.REASON,
)  # fmt: skip
ROUTER_FALLBACKS = _add(
    "kvdeck_router_fallbacks_total", Kind.COUNTER, Unit.NONE, Emitter.ROUTER,
    "Requests that were not served the way the configuration asks for, by reason.",
    Label.MODEL_NAME, Label.REASON,
)  # fmt: skip
ROUTER_COLLECTED = _add(
    "kvdeck_router_collected_handovers_total", Kind.COUNTER, Unit.REQUESTS, Emitter.ROUTER,
    "Hand-overs that no decode engine took, whose KV was fetched for nobody so that the prefill engine gives it up, by reason.",
    Label.MODEL_NAME, Label.REASON, Label.OUTCOME,
)  # fmt: skip
ROUTER_LIMITED = _add(
    "kvdeck_router_limited_requests_total", Kind.COUNTER, Unit.REQUESTS, Emitter.ROUTER,
    "Requests refused with 429 because of the model's configured limits, by reason.",
    Label.MODEL_NAME, Label.REASON,
)  # fmt: skip
ROUTER_QUEUED = _add(
    "kvdeck_router_queued_requests", Kind.GAUGE, Unit.REQUESTS, Emitter.ROUTER,
    "Requests that wait in this router for their turn. Always 0 without a configured queue.",
    Label.MODEL_NAME, merge=Merge.SUM,
)  # fmt: skip
ROUTER_ENGINE_HEALTH = _add(
    "kvdeck_router_engine_health", Kind.GAUGE, Unit.NONE, Emitter.ROUTER,
    "1 for the state this router gives an engine: ready, not_ready or unknown.",
    Label.MODEL_NAME, Label.POOL, Label.BACKEND, Label.STATE, merge=Merge.MAX,
)  # fmt: skip
ROUTER_ENGINE_STALLED = _add(
    "kvdeck_router_engine_stalled_seconds", Kind.GAUGE, Unit.SECONDS, Emitter.ROUTER,
    "For how long an engine that has prompts to work on has said nothing, once that is longer than they explain; else 0.",
    Label.MODEL_NAME, Label.POOL, Label.BACKEND, merge=Merge.MAX,
)  # fmt: skip
ROUTER_EJECTIONS = _add(
    "kvdeck_router_ejections_total", Kind.COUNTER, Unit.NONE, Emitter.ROUTER,
    "Times this router kept new requests from an engine for a while, because requests failed there in a row.",
    Label.MODEL_NAME, Label.POOL, Label.BACKEND,
)  # fmt: skip
ROUTER_GENERATION = _add(
    "kvdeck_router_generation", Kind.GAUGE, Unit.NONE, Emitter.ROUTER,
    "Generation of the desired state this router has applied.",
    merge=Merge.MIN,
)  # fmt: skip
ROUTER_GENERATION_AGE = _add(
    "kvdeck_router_generation_age_seconds", Kind.GAUGE, Unit.SECONDS, Emitter.ROUTER,
    "Since control last answered this router and had nothing newer that it could apply. The generation stays in force however "
    "long that is. Absent until control has spoken.",
    merge=Merge.MAX,
)  # fmt: skip
ROUTER_RECORDS_DROPPED = _add(
    "kvdeck_router_records_dropped_total", Kind.COUNTER, Unit.NONE, Emitter.ROUTER,
    "Decision records dropped because control did not take them in time.",
)  # fmt: skip
ROUTER_INTERNAL_ERRORS = _add(
    "kvdeck_router_internal_errors_total", Kind.COUNTER, Unit.NONE, Emitter.ROUTER,
    "Failures of the router's own measuring, learning and recording, by site. They cost no request.",
    Label.SITE,
)  # fmt: skip
ROUTER_INDEX_BLOCKS = _add(
    "kvdeck_router_index_blocks", Kind.GAUGE, Unit.BLOCKS, Emitter.ROUTER,
    "Blocks the router knows to lie in a tier that an engine reaches: from its KV events, or from the reports of its cache server, "
    "whose chunks count as many blocks as they span. Absent for a tier that nobody speaks of, or that is in doubt.",
    Label.MODEL_NAME, Label.BACKEND, Label.TIER, merge=Merge.MAX,
)  # fmt: skip
ROUTER_PREFILL_RATE = _add(
    "kvdeck_router_learned_prefill_tokens_per_second", Kind.GAUGE, Unit.TOKENS, Emitter.ROUTER,
    "Prompt tokens an engine computes a second, as the router learned it from its requests; absent until they have shown it.",
    Label.MODEL_NAME, Label.POOL, Label.BACKEND, merge=Merge.MEAN,
)  # fmt: skip
ROUTER_TIER_RATE = _add(
    "kvdeck_router_learned_load_tokens_per_second", Kind.GAUGE, Unit.TOKENS, Emitter.ROUTER,
    "Cached tokens an engine loads a second from a tier, as the router learned it; absent until requests have shown it.",
    Label.MODEL_NAME, Label.BACKEND, Label.TIER, merge=Merge.MEAN,
)  # fmt: skip
ROUTER_TIER_UNKNOWN = _add(
    "kvdeck_router_tier_unknown_total", Kind.COUNTER, Unit.NONE, Emitter.ROUTER,
    "Engines and prompts for which it could not be told what L1 or L2 would add to the engine's own cache, by reason.",
    Label.TIER, Label.REASON,
)  # fmt: skip
ROUTER_EVENT_GAPS = _add(
    "kvdeck_router_kv_event_gaps_total", Kind.COUNTER, Unit.NONE, Emitter.ROUTER,
    "Gaps in an engine's KV event sequence; unrecovered ones make that engine's placement partial.",
    Label.MODEL_NAME, Label.BACKEND, Label.STATE,
)  # fmt: skip
ROUTER_INDEX_KNOWLEDGE = _add(
    "kvdeck_router_index_knowledge", Kind.GAUGE, Unit.NONE, Emitter.ROUTER,
    "1 for what the router knows of an engine's KV placement: whole, partial (what is known is true, but there may be more) or "
    "unknown (no events, or a publisher that does not answer).",
    Label.MODEL_NAME, Label.BACKEND, Label.STATE, merge=Merge.MAX,
)  # fmt: skip
ROUTER_INDEX_UNPLACED = _add(
    "kvdeck_router_index_unplaced_blocks_total", Kind.COUNTER, Unit.BLOCKS, Emitter.ROUTER,
    "Blocks an engine reported that the index could not place, by reason: parent_unknown, name_unknown, misfit, index_full.",
    Label.MODEL_NAME, Label.BACKEND, Label.REASON,
)  # fmt: skip
ROUTER_PROMPT_TOKENS = _add(
    "kvdeck_router_tokenized_tokens_total", Kind.COUNTER, Unit.TOKENS, Emitter.ROUTER,
    "Tokens of prompts whose token ids this router told, by where it had them from: its tokenizer (computed) or what it had "
    "tokenized before (cache). Models of the same files count under one of their names.",
    Label.MODEL_NAME, Label.SOURCE,
)  # fmt: skip
ROUTER_TOKEN_CACHE_BYTES = _add(
    "kvdeck_router_token_cache_bytes", Kind.GAUGE, Unit.BYTES, Emitter.ROUTER,
    "Memory of the token ids that this router keeps for prompts that begin alike; bounded.",
    Label.MODEL_NAME, merge=Merge.SUM,
)  # fmt: skip
ROUTER_SENT_BYTES = _add(
    "kvdeck_router_sent_prefixes_bytes", Kind.GAUGE, Unit.BYTES, Emitter.ROUTER,
    "Memory of what this router remembers of which prompt beginnings it sent where, about; bounded.",
    merge=Merge.SUM,
)  # fmt: skip

ROUTER_WORKERS = _add(
    "kvdeck_router_workers", Kind.GAUGE, Unit.NONE, Emitter.ROUTER,
    "Worker processes of a router with several, by state: counted (their figures are in this exposition), silent (they run, but "
    "did not answer in time: their counters are as last heard, their gauges missing) or down.",
    Label.STATE, merge=Merge.SUM,
)  # fmt: skip
ROUTER_WORKER_RESTARTS = _add(
    "kvdeck_router_worker_restarts_total", Kind.COUNTER, Unit.NONE, Emitter.ROUTER,
    "Worker processes that ended without being told to and were started again.",
)  # fmt: skip

# How good the router's choices were -- router

ROUTER_REGRET = _add(
    "kvdeck_router_regret_tokens", Kind.HISTOGRAM, Unit.TOKENS, Emitter.ROUTER,
    "Prompt tokens that the best candidate was believed to have cached beyond what the chosen engine was, one sample a request "
    "whose placement was known. Load may be the better reason: see the TTFT error and the shadows' gains.",
    Label.MODEL_NAME, Label.STRATEGY, buckets=REGRET_BUCKETS,
)  # fmt: skip
ROUTER_INDEX_ERROR = _add(
    "kvdeck_router_index_error_tokens", Kind.HISTOGRAM, Unit.TOKENS, Emitter.ROUTER,
    "Cached prompt tokens predicted minus those the engine reported: below 0 it had more. No _sum, since samples are signed.",
    Label.MODEL_NAME, Label.STRATEGY, buckets=TOKEN_ERROR_BUCKETS,
)  # fmt: skip
ROUTER_TTFT_ERROR = _add(
    "kvdeck_router_ttft_error_seconds", Kind.HISTOGRAM, Unit.SECONDS, Emitter.ROUTER,
    "Predicted minus measured time from handing a request to the engine that computes its prompt to that engine's first token: "
    "below 0 it took longer. No _sum, since samples are signed.",
    Label.MODEL_NAME, Label.STRATEGY, buckets=SECONDS_ERROR_BUCKETS,
)  # fmt: skip
ROUTER_SHADOW_DECISIONS = _add(
    "kvdeck_router_shadow_decisions_total", Kind.COUNTER, Unit.NONE, Emitter.ROUTER,
    "Decisions that another strategy (the label) made along on a sampled request, over the same inputs: agrees or differs.",
    Label.MODEL_NAME, Label.STRATEGY, Label.STATE,
)  # fmt: skip
ROUTER_SHADOW_TOKENS = _add(
    "kvdeck_router_shadow_gained_tokens", Kind.HISTOGRAM, Unit.TOKENS, Emitter.ROUTER,
    "Prompt tokens believed to be cached at another strategy's engine minus those at the chosen one, where both were known: "
    "above 0 the other strategy would have found more. No _sum, since samples are signed.",
    Label.MODEL_NAME, Label.STRATEGY, buckets=TOKEN_ERROR_BUCKETS,
)  # fmt: skip
ROUTER_SHADOW_SECONDS = _add(
    "kvdeck_router_shadow_gained_seconds", Kind.HISTOGRAM, Unit.SECONDS, Emitter.ROUTER,
    "Predicted time to the first token at the chosen engine minus that at another strategy's: above 0 the other strategy would "
    "have been faster. No _sum, since samples are signed.",
    Label.MODEL_NAME, Label.STRATEGY, buckets=SECONDS_ERROR_BUCKETS,
)  # fmt: skip
ROUTER_SHADOW_COST = _add(
    "kvdeck_router_shadow_cpu_seconds_total", Kind.COUNTER, Unit.SECONDS, Emitter.ROUTER,
    "CPU time spent on shadow decisions, which are made beside the requests' path and at most on a fiftieth of a core.",
)  # fmt: skip
ROUTER_SHADOW_SKIPPED = _add(
    "kvdeck_router_shadow_skipped_total", Kind.COUNTER, Unit.NONE, Emitter.ROUTER,
    "Sampled requests without shadow decisions, because these had taken their share of CPU time.",
    Label.MODEL_NAME,
)  # fmt: skip

# Requests that another gateway mirrors to an observing router

ROUTER_OBSERVED_REQUESTS = _add(
    "kvdeck_router_observed_requests_total", Kind.COUNTER, Unit.NONE, Emitter.ROUTER,
    "Mirrored requests that an observing router decided, by the configured strategy and the path they would have taken.",
    Label.MODEL_NAME, Label.STRATEGY, Label.PATH,
)  # fmt: skip
ROUTER_OBSERVED_UNDECIDED = _add(
    "kvdeck_router_observed_undecided_total", Kind.COUNTER, Unit.NONE, Emitter.ROUTER,
    "Mirrored requests that could not have been served here: no such model, no ready engine, no valid body.",
    Label.CODE,
)  # fmt: skip
ROUTER_OBSERVED_PROMPT_TOKENS = _add(
    "kvdeck_router_observed_prompt_tokens_total", Kind.COUNTER, Unit.TOKENS, Emitter.ROUTER,
    "Prompt tokens of mirrored requests for which it was known what every strategy's engine holds.",
    Label.MODEL_NAME,
)  # fmt: skip
ROUTER_OBSERVED_CACHED_TOKENS = _add(
    "kvdeck_router_observed_cached_tokens_total", Kind.COUNTER, Unit.TOKENS, Emitter.ROUTER,
    "Of kvdeck_router_observed_prompt_tokens_total, those believed to be cached where a strategy would have sent the request.",
    Label.MODEL_NAME, Label.STRATEGY,
)  # fmt: skip

# Control

CONTROL_GENERATION = _add(
    "kvdeck_control_generation", Kind.GAUGE, Unit.NONE, Emitter.CONTROL,
    "Generation of the desired state.",
)  # fmt: skip
CONTROL_MODE = _add(
    "kvdeck_control_mode", Kind.GAUGE, Unit.NONE, Emitter.CONTROL,
    "1 for the mode control runs in: observe (nothing is changed), declarative (a file says what is desired) or live.",
    Label.MODE,
)  # fmt: skip
CONTROL_DESIRED_FILE_REFUSED = _add(
    "kvdeck_control_desired_file_refused", Kind.GAUGE, Unit.NONE, Emitter.CONTROL,
    "1 while the file that says what is desired is refused and the last good one is in force; absent where none is followed.",
)  # fmt: skip
CONTROL_CHANGES = _add(
    "kvdeck_control_changes_total", Kind.COUNTER, Unit.NONE, Emitter.CONTROL,
    "Changes asked for, by outcome.",
    Label.OUTCOME,
)  # fmt: skip
CONTROL_CACHE_DOUBTS = _add(
    "kvdeck_control_cache_doubts_total", Kind.COUNTER, Unit.NONE, Emitter.CONTROL,
    "Times that all a cache server or the store had been reported to hold became doubtful, by reason.",
    Label.TIER, Label.REASON,
)  # fmt: skip
CONTROL_POOL_REPLICAS = _add(
    "kvdeck_control_pool_replicas", Kind.GAUGE, Unit.NONE, Emitter.CONTROL,
    "Engines of a pool: desired, or observed and ready, or drained by an operator, so that they serve nothing.",
    Label.MODEL_NAME, Label.POOL, Label.STATE,
)  # fmt: skip
CONTROL_REFUSED_REQUESTS = _add(
    "kvdeck_control_refused_requests_total", Kind.COUNTER, Unit.NONE, Emitter.CONTROL,
    "Requests turned away: unauthorized (no known token), forbidden (its role does not include it), mode (no changes are taken).",
    Label.REASON,
)  # fmt: skip
CONTROL_TOKEN_FILE_FAULTS = _add(
    "kvdeck_control_token_file_faults_total", Kind.COUNTER, Unit.NONE, Emitter.CONTROL,
    "Changes of a token file that could not be read; the tokens before them go on counting. Absent where there are no tokens.",
)  # fmt: skip
CONTROL_SLOW_READERS = _add(
    "kvdeck_control_slow_readers_total", Kind.COUNTER, Unit.NONE, Emitter.CONTROL,
    "Readers of the decision stream that were sent away because they did not keep up; they may resume.",
)  # fmt: skip
CONTROL_EXPERIMENT_RUNNING = _add(
    "kvdeck_control_experiment_running", Kind.GAUGE, Unit.NONE, Emitter.CONTROL,
    "1 while a share of the model's sessions tries a change, 0 while none does.",
    Label.MODEL_NAME,
)  # fmt: skip
CONTROL_KEPT_DECISIONS = _add(
    "kvdeck_control_kept_decisions_total", Kind.COUNTER, Unit.NONE, Emitter.CONTROL,
    "Decisions that were written to files, or lost because that failed; absent where control keeps none.",
    Label.STATE,
)  # fmt: skip
