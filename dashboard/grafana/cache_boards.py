"""Cache tiers, and KV between engines."""

from __future__ import annotations

from dashboard.grafana.document import ENGINE, FLEET, MODEL, POOL, TIER, WINDOW, Board
from dashboard.grafana.shapes import Needs, Panel, Row, Shape
from stack.engines import lmcache_queries as lmcache
from stack.engines import vllm_queries as vllm
from stack.metrics import cache_queries, fabric_queries, queries

_FABRIC = "Empty unless --collector.fabric is on."
_EFA = f"{_FABRIC} Only EFA counts this."
_DPD = "Empty without disaggregated prefill over NIXL (vLLM 0.11.2 or later)."

CACHE_BOARD = Board(
    "kvdeck-cache", "kvdeck / Cache tiers", "Where prompt tokens' KV came from, what each tier found, holds and evicts.",
    (
        Row(
            "Engines and cache servers, in their own words",
            (
                Panel(
                    "Prefix cache hit ratio", (vllm.prefix_hit_ratio(MODEL, WINDOW),),
                    Needs.NATIVE, runbook="KvdeckPrefixHitRatioCollapsed",
                ),
                Panel(
                    "External cache hit ratio", (vllm.external_hit_ratio(MODEL, WINDOW),), Needs.NATIVE,
                    empty="Empty without a KV connector.", runbook="KvdeckExternalCacheSilent",
                ),
                Panel(
                    "LMCache hit ratio",
                    (lmcache.hit_ratio(FLEET, WINDOW), lmcache.l1_hit_ratio(FLEET, WINDOW), lmcache.l2_hit_ratio(FLEET, WINDOW)),
                    Needs.NATIVE, names=("l1 and l2", "l1", "l2"),
                    empty="Empty without LMCache; inside engines it does not tell l1 and l2 apart.",
                ),
                Panel(
                    "LMCache L1 used", (lmcache.l1_used_ratio(FLEET),), Needs.NATIVE,
                    empty="Empty without an LMCache server in multi-process mode.", runbook="KvdeckL1TooSmall",
                ),
                Panel(
                    "Native offloading", (vllm.offload_loaded(MODEL, WINDOW), vllm.offload_stored(MODEL, WINDOW)), Needs.NATIVE,
                    names=("loaded", "stored"), empty="Empty without vLLM's own KV offloading.",
                ),
                Panel(
                    "LMCache L1 bytes", (lmcache.l1_used_bytes(FLEET),), Needs.NATIVE, empty="Empty without LMCache.",
                ),
            ),
        ),
        Row(
            "The waterfall",
            (
                Panel("Prompt tokens by source", (queries.waterfall(MODEL, WINDOW),), Needs.EXPORTER, Shape.STACKED),
                Panel("Share by source", (queries.waterfall_shares(MODEL, WINDOW),), Needs.EXPORTER, Shape.STACKED),
                Panel(
                    "Prefill pool, by source", (queries.prefill_waterfall(MODEL, WINDOW),),
                    Needs.EXPORTER, Shape.STACKED, empty=_DPD,
                ),
                Panel(
                    "Hit ratio by tier", (queries.hit_ratio(POOL, WINDOW),), Needs.EXPORTER, runbook="KvdeckTierHitRatioCollapsed",
                ),
            ),
        ),
        Row(
            "Tiers",
            (
                Panel("Used share", (queries.used_ratio(TIER),), Needs.EXPORTER),
                Panel(
                    "Bytes", (queries.used_bytes(TIER), queries.capacity_bytes(TIER)), Needs.EXPORTER, names=("used", "capacity"),
                    empty="Engines do not tell the bytes of their own cache.",
                ),
                Panel(
                    "LMCache's chunks evicted", (queries.evicted_chunks(TIER, WINDOW),), Needs.EXPORTER,
                    empty="Empty without LMCache.", runbook="KvdeckEvictionPressure",
                ),
                Panel(
                    "Store's keys evicted", (queries.evicted_keys(TIER, WINDOW),), Needs.EXPORTER,
                    empty="Empty without a Redis or Valkey store.", runbook="KvdeckL2EvictsUnseen",
                ),
                Panel(
                    "Residency, median", (queries.residency(0.5, POOL, WINDOW),), Needs.EXPORTER,
                    empty="Of engines only with --kv-cache-metrics; a sample needs an eviction.",
                ),
                Panel(
                    "Engine blocks evicted", (queries.evicted_blocks(POOL, WINDOW),), Needs.ROUTER, empty="Needs KV events.",
                ),
            ),
        ),
        Row(
            "LMCache",
            (
                Panel(
                    "Found and loaded, inside engines",
                    (cache_queries.found_inside(POOL, WINDOW), cache_queries.loaded_inside(POOL, WINDOW)), Needs.EXPORTER,
                    names=("found", "loaded"), empty="Empty without LMCache inside engines.", runbook="KvdeckFoundNotLoaded",
                ),
                Panel(
                    "Chunks loaded", (cache_queries.loaded(TIER, WINDOW),), Needs.EXPORTER,
                    empty="Empty without an LMCache server, and before its first load.", runbook="KvdeckFoundNotLoaded",
                ),
                Panel(
                    "Could not be loaded", (cache_queries.load_failures(TIER, WINDOW),), Needs.EXPORTER,
                    empty="Told once it happened.", runbook="KvdeckL2EvictsUnseen",
                ),
                Panel(
                    "Had no room", (cache_queries.allocation_failures(TIER, WINDOW),), Needs.EXPORTER,
                    empty="Told once it happened.", runbook="KvdeckL1AllocationFailing",
                ),
                Panel(
                    "Stores to L2 that have not ended", (cache_queries.stores_outstanding(TIER),), Needs.EXPORTER,
                    empty="Empty without an LMCache server with an L2.", runbook="KvdeckL2Backlog",
                ),
                Panel(
                    "Counters in doubt", (cache_queries.doubtful(TIER),), Needs.EXPORTER,
                    empty="Empty without LMCache.", runbook="KvdeckCacheEventsDropped",
                ),
            ),
        ),
    ),
)  # fmt: skip

TRANSFER_BOARD = Board(
    "kvdeck-transfer", "kvdeck / Disaggregation and transfer",
    "KV between prefill and decode engines: how much, how fast, what failed.",
    (
        Row(
            "NIXL, in the engines' own words",
            (
                Panel("Throughput", (vllm.nixl_throughput(MODEL, WINDOW),), Needs.NATIVE, empty=_DPD),
                Panel(
                    "Bandwidth while transferring", (vllm.nixl_bandwidth(MODEL, WINDOW),),
                    Needs.NATIVE, empty=_DPD, runbook="KvdeckKvTransferSlow",
                ),
                Panel(
                    "Mean duration", (vllm.nixl_mean(MODEL, WINDOW),), Needs.NATIVE, empty=_DPD, runbook="KvdeckKvTransferSlow",
                ),
                Panel(
                    "Failed and expired", (vllm.nixl_failed(MODEL, WINDOW), vllm.nixl_expired(MODEL, WINDOW)), Needs.NATIVE,
                    names=("failed", "expired"), empty=_DPD, runbook="KvdeckKvTransferFailing",
                ),
                Panel(
                    "Queue, mean", (vllm.queue_mean(MODEL, WINDOW),), Needs.NATIVE, width=8, runbook="KvdeckPrefillQueueGrowing",
                ),
                Panel("Prefill, mean", (vllm.prefill_mean(MODEL, WINDOW),), Needs.NATIVE, width=8),
                Panel("Decode, mean", (vllm.decode_mean(MODEL, WINDOW),), Needs.NATIVE, width=8),
            ),
        ),
        Row(
            "All transports",
            (
                Panel("Throughput by engine", (queries.transfer_throughput(ENGINE, WINDOW),), Needs.EXPORTER, empty=_DPD),
                Panel("Bandwidth by transport", (queries.transfer_bandwidth(POOL, WINDOW),), Needs.EXPORTER, empty=_DPD),
                Panel(
                    "Failures by reason", (queries.transfer_failures(ENGINE, WINDOW),),
                    Needs.EXPORTER, empty=_DPD, runbook="KvdeckKvTransferFailing",
                ),
                Panel(
                    "Mean time by phase, by pool", (queries.engine_phase_means(POOL, WINDOW),), Needs.EXPORTER, Shape.STACKED,
                ),
            ),
        ),
        Row(
            "The nodes' RDMA devices",
            (
                Panel("Over RDMA devices", (fabric_queries.traffic(FLEET, WINDOW),), Needs.EXPORTER, empty=_FABRIC),
                Panel("RDMA by operation", (fabric_queries.rdma(FLEET, WINDOW),), Needs.EXPORTER, empty=_EFA),
                Panel(
                    "Sent again and dropped",
                    (fabric_queries.retransmitted(FLEET, WINDOW), fabric_queries.dropped(FLEET, WINDOW)), Needs.EXPORTER,
                    names=("sent again", "dropped"), width=8, empty=_EFA,
                ),
                Panel(
                    "Errors and waits", (fabric_queries.errors(FLEET, WINDOW), fabric_queries.events(FLEET, WINDOW)),
                    Needs.EXPORTER, names=("error", "waited"), width=8, empty=_EFA,
                ),
                Panel("Ports by node", (fabric_queries.ports(FLEET),), Needs.EXPORTER, Shape.STAT, width=8, empty=_FABRIC),
            ),
        ),
    ),
)  # fmt: skip
