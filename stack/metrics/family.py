"""What a metric family is: name, kind, unit, help, labels, buckets and the one process that emits it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Unit(StrEnum):
    """Base units only; NONE for counts of events."""

    NONE = ""
    SECONDS = "seconds"
    BYTES = "bytes"
    TOKENS = "tokens"
    BLOCKS = "blocks"
    CHUNKS = "chunks"
    KEYS = "keys"
    RATIO = "ratio"
    REQUESTS = "requests"


class Emitter(StrEnum):
    """The one kind of process that emits a family."""

    ROUTER = "router"
    EXPORTER = "exporter"
    CONTROL = "control"


class Label(StrEnum):
    """Every label of ours, with its bound. Never `engine`: in vLLM that is the data-parallel rank."""

    MODEL_NAME = "model_name"  # served models: configured, few
    POOL = "pool"  # prefill, decode
    REPLICA = "replica"  # engines and cache servers that exist
    BACKEND = "backend"  # an engine as the router names it; same bound, and `unlisted` for those of other routers
    TIER = "tier"  # engine, l1, l2; lmcache: l1 and l2 of an LMCache that does not tell them apart
    SOURCE = "source"  # engine, l1, l2, peer, computed, unknown; of token ids: cache, computed
    TRANSPORT = "transport"  # nixl, mooncake, mooncake_store, offload, offload_tier, lmcache, lmcache_l2
    DIRECTION = "direction"  # receive; of offloading and LMCache: load, store; of a node's fabric: receive, send
    DEVICE = "device"  # RDMA devices of a node, 32 at most today
    PORT = "port"  # ports of such a device
    OPERATION = "operation"  # closed sets in code: of RDMA (read, write, read_by_peer, written_by_peer), of LMCache (prefetch, ...)
    PHASE = "phase"  # the router's seven phases; of engines: queue, prefill, decode
    PATH = "path"  # direct, dpd
    STRATEGY = "strategy"  # registered strategies
    REASON = "reason"  # closed sets in code
    CODE = "code"  # HTTP status classes: 2xx, 4xx, 5xx, aborted
    SITE = "site"  # places in the router's code that may fail off the path
    STATE = "state"  # closed sets in code
    EVENT = "event"  # of a block's stay: lifetime, idle_before_evict, reuse_gap, evict_reuse_gap
    QUANTILE = "quantile"  # on no series, in answers alone: p50, p95
    FIGURE = "figure"  # on no series, in answers alone: which of several questions put as one it answers
    OBJECTIVE = "objective"  # on no series, in answers alone: ttft, itl, request
    MODE = "mode"  # of LMCache: multi_process, in_process, controller, coordinator, silent
    ADAPTER = "adapter"  # types of LMCache's L2 adapters, up to a bound, then other
    QUANTITY = "quantity"  # those the exporter asks of a target
    POLICY = "policy"  # the stores' eviction policies, and other
    COLLECTOR = "collector"  # registered collectors
    TARGET = "target"  # scraped endpoints by name
    MECHANISM = "mechanism"  # file, kubernetes: how engines are listed
    PRODUCT = "product"  # router products with a file of their own
    VERSION = "version"  # one a process or target
    EMULATED = "emulated"  # true, false
    CLUSTER = "cluster"  # attached by Prometheus, as the next two are; the exporter says where a target runs if its list does
    NAMESPACE = "namespace"
    INSTANCE = "instance"
    OUTCOME = "outcome"  # applied, refused, stale, invalid, dry_run, failed; of work in the background: done, failed


ATTACHED = frozenset({Label.CLUSTER, Label.NAMESPACE, Label.INSTANCE})
"""Labels that Prometheus attaches to what it scrapes, where it has none of its own. A series without one matches `.*`."""


class Merge(StrEnum):
    """How the gauges of one router's worker processes become one figure. Counters and histograms are always summed."""

    SUM = "sum"  # each worker has its own part
    MAX = "max"  # each sees the same thing; told as the rules read several routers: somebody sees it
    MIN = "min"  # what all have reached
    MEAN = "mean"  # each has its own estimate of one thing


@dataclass(frozen=True, slots=True)
class Family:
    """One metric family, named as PromQL sees it (a histogram without its _bucket, _sum, _count).

    `merge` is None but for the gauges of routers.
    """

    name: str
    kind: Kind
    unit: Unit
    help: str
    labels: tuple[Label, ...]
    emitter: Emitter
    buckets: tuple[float, ...] = ()
    merge: Merge | None = None
