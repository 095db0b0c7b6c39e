"""What LMCache tells, as points: each quantity's family and labels in one table a mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from exporters.collector import Point
from stack.engines import lmcache_quantities as lq
from stack.engines.exposed import Exposed
from stack.engines.lmcache import Mode, Reading
from stack.engines.quantities import Fold, Quantity
from stack.metrics import catalog
from stack.metrics.family import Family, Label
from stack.model.tier import Tier

# Of LMCache's own buckets so many are shown, as of an engine's.
BUCKETS = 8
OTHER, UNSPECIFIED = "other", "unspecified"

Labels = Mapping[Label, str]


@dataclass(frozen=True, slots=True)
class _Shown:
    """A quantity and where it is shown."""

    quantity: Quantity
    family: Family
    labels: Labels = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Split:
    """A counter by a label of LMCache's: its known values by the name they get here."""

    quantity: Quantity
    family: Family
    source: str
    label: Label
    known: Mapping[str, str]
    labels: Labels = field(default_factory=dict)

    def name(self, value: str) -> str:
        """Ours; what LMCache adds is `other`, so that nothing is lost, and what it does not tell apart is `unspecified`."""
        return self.known.get(value, OTHER if value else UNSPECIFIED)


def _stay(quantity: Quantity, event: str) -> _Shown:
    return _Shown(quantity, catalog.CACHE_RESIDENCY, {Label.TIER: Tier.L1, Label.EVENT: event})


def _moved(quantity: Quantity, family: Family, transport: str, direction: str) -> _Shown:
    return _Shown(quantity, family, {Label.TRANSPORT: transport, Label.DIRECTION: direction})


def _same(*values: str) -> dict[str, str]:
    return {value: value for value in values}


_L1, _L2 = {Label.TIER: Tier.L1}, {Label.TIER: Tier.L2}
_LOAD, _STORE = {Label.DIRECTION: "load"}, {Label.DIRECTION: "store"}
_READ_FAILED = _same("not_found", "write_locked", "l1_oom", "l1_contended")
_STAGED = {"h2d": "load", "d2h": "store"}
_OVER = {Label.TRANSPORT: "lmcache"}

_SHOWN: dict[Mode, tuple[_Shown, ...]] = {
    Mode.MULTI_PROCESS: (
        _Shown(lq.LOOKUPS, catalog.CACHE_LOOKUPS),
        _Shown(lq.FOUND_L1_CHUNKS, catalog.CACHE_HIT_CHUNKS, _L1),
        _Shown(lq.FOUND_L2_CHUNKS, catalog.CACHE_HIT_CHUNKS, _L2),
        _Shown(lq.L1_WRITTEN, catalog.CACHE_STORED_CHUNKS, _L1),
        _Shown(lq.L2_WRITTEN, catalog.CACHE_STORED_CHUNKS, _L2),
        _Shown(lq.LOADED_FROM_L2, catalog.CACHE_LOADED_CHUNKS, _L2),
        _Shown(lq.L1_BYTES, catalog.CACHE_USED_BYTES, _L1),
        _Shown(lq.L1_RATIO, catalog.CACHE_USED_RATIO, _L1),
        _Shown(lq.L2_BYTES, catalog.CACHE_BELIEVED_BYTES, _L2),
        _Shown(lq.L1_EVICTED, catalog.CACHE_EVICTED_CHUNKS, _L1),
        _Shown(lq.L2_EVICTED, catalog.CACHE_EVICTED_CHUNKS, _L2),
        _stay(lq.L1_LIFETIME, "lifetime"),
        _stay(lq.L1_IDLE, "idle_before_evict"),
        _stay(lq.L1_REUSE_GAP, "reuse_gap"),
        _stay(lq.L1_EVICT_REUSE_GAP, "evict_reuse_gap"),
        _Shown(lq.L2_NOT_STORED, catalog.CACHE_ALLOCATION_FAILURES, {Label.TIER: Tier.L2, Label.REASON: "put"}),
        _Shown(lq.STORES_SUBMITTED, catalog.CACHE_L2_STORES_SUBMITTED),
        _Shown(lq.PREFETCHES, catalog.CACHE_IN_FLIGHT, {Label.OPERATION: "prefetch"}),
        _Shown(lq.P2P_LOOKUPS, catalog.CACHE_IN_FLIGHT, {Label.OPERATION: "p2p_lookup"}),
        _Shown(lq.L2_STORES, catalog.CACHE_IN_FLIGHT, {Label.OPERATION: "l2_store"}),
        _Shown(lq.L2_LOADS, catalog.CACHE_IN_FLIGHT, {Label.OPERATION: "l2_load"}),
        _Shown(lq.DEVICE_LOADS_SUBMITTED, catalog.CACHE_DEVICE_TRANSFERS_SUBMITTED, _LOAD),
        _Shown(lq.DEVICE_LOADS_FINISHED, catalog.CACHE_DEVICE_TRANSFERS_FINISHED, _LOAD),
        _Shown(lq.DEVICE_STORES_SUBMITTED, catalog.CACHE_DEVICE_TRANSFERS_SUBMITTED, _STORE),
        _Shown(lq.DEVICE_STORES_FINISHED, catalog.CACHE_DEVICE_TRANSFERS_FINISHED, _STORE),
        _Shown(lq.TIMEOUTS, catalog.CACHE_TIMEOUTS),
        _Shown(lq.DROPPED_EVENTS, catalog.CACHE_DROPPED_EVENTS),
    ),
    Mode.IN_PROCESS: (
        _Shown(lq.INSIDE_L1_BYTES, catalog.CACHE_USED_BYTES, _L1),
        _Shown(lq.INSIDE_L2_BYTES, catalog.CACHE_BELIEVED_BYTES, _L2),
        _Shown(lq.INSIDE_EVICTED, catalog.CACHE_EVICTED_CHUNKS, _L1),
        _Shown(lq.INSIDE_NOT_EVICTED, catalog.CACHE_ALLOCATION_FAILURES, {Label.TIER: Tier.L1, Label.REASON: "eviction"}),
        _Shown(lq.INSIDE_HEALTHY, catalog.CACHE_HEALTHY),
        _Shown(lq.INSIDE_PING, catalog.CACHE_L2_PING),
        _Shown(lq.INSIDE_PINGS_FAILED, catalog.CACHE_L2_PING_FAILURES),
        _moved(lq.INSIDE_READ_BYTES, catalog.KV_TRANSFER_BYTES, "lmcache_l2", "load"),
        _moved(lq.INSIDE_READ_TIME, catalog.KV_TRANSFER_BUSY, "lmcache_l2", "load"),
        _moved(lq.INSIDE_WRITTEN_BYTES, catalog.KV_TRANSFER_BYTES, "lmcache_l2", "store"),
        _moved(lq.INSIDE_WRITE_TIME, catalog.KV_TRANSFER_BUSY, "lmcache_l2", "store"),
    ),
    Mode.CONTROLLER: (
        _Shown(lq.INDEX_KEYS, catalog.CACHE_INDEX_KEYS),
        _Shown(lq.INDEX_WORKERS, catalog.CACHE_INDEX_WORKERS),
    ),
}  # fmt: skip
_SPLITS: dict[Mode, tuple[_Split, ...]] = {
    Mode.MULTI_PROCESS: (
        _Split(
            lq.NOT_ALLOCATED, catalog.CACHE_ALLOCATION_FAILURES, "during", Label.REASON,
            {"l1_store": "store", "l2_prefetch": "promotion"}, _L1,
        ),
        _Split(lq.L1_UNREAD, catalog.CACHE_LOAD_FAILURES, "reason", Label.REASON, _READ_FAILED, _L1),
        _Split(lq.L2_UNREAD, catalog.CACHE_LOAD_FAILURES, "reason", Label.REASON, _READ_FAILED, _L2),
        _Split(
            lq.EARLY_EXITS, catalog.CACHE_EARLY_EXITS, "reason", Label.REASON,
            _same("no_gpu_context", "empty_chunk_hashes", "no_group_layout_descs"),
        ),
        _Split(lq.STAGED_BYTES, catalog.KV_TRANSFER_BYTES, "direction", Label.DIRECTION, _STAGED, _OVER),
        _Split(lq.STAGED_SECONDS, catalog.KV_TRANSFER_BUSY, "direction", Label.DIRECTION, _STAGED, _OVER),
    ),
    Mode.COORDINATOR: (
        _Split(lq.PLACEMENTS, catalog.CACHE_DIRECTORY_PLACEMENTS, "tier", Label.TIER, _same("l1", "l2")),
        _Split(lq.PLACEMENT_BYTES, catalog.CACHE_DIRECTORY_BYTES, "tier", Label.TIER, _same("l1", "l2")),
    ),
}  # fmt: skip


def points(own: Labels, reading: Reading, adapter: Callable[[str], str]) -> Iterator[Point]:
    """What is no model's own, under the labels of the server or engine. `adapter` bounds the types of L2 adapters."""
    exposed = reading.exposed
    yield Point(catalog.CACHE_SERVER_INFO, {Label.REPLICA: own[Label.REPLICA], Label.MODE: reading.mode}, 1.0)
    for reason, doubtful in reading.doubts.items():
        yield Point(catalog.CACHE_COUNTERS_DOUBTFUL, {**own, Label.REASON: reason}, float(doubtful))
    for shown in _SHOWN.get(reading.mode, ()):
        yield from _whole(own, exposed, shown)
    for split in _SPLITS.get(reading.mode, ()):
        for name, count in summed(exposed.by(split.source, split.quantity), split.name).items():
            yield Point(split.family, {**own, **split.labels, split.label: name}, count)
    if reading.mode is Mode.MULTI_PROCESS:
        for kind, stores in summed(exposed.by("l2_name", lq.STORES_COMPLETED), lambda kind: kind and adapter(kind)).items():
            yield Point(catalog.CACHE_L2_STORES_COMPLETED, {**own, **({Label.ADAPTER: kind} if kind else {})}, stores)


def summed(amounts: Mapping[str, float], name: Callable[[str], str]) -> dict[str, float]:
    """The amounts under the names that are given to what they were under."""
    found: dict[str, float] = {}
    for value, amount in amounts.items():
        found[name(value)] = found.get(name(value), 0.0) + amount
    return found


def _whole(own: Labels, exposed: Exposed, shown: _Shown) -> Iterator[Point]:
    if shown.quantity.fold is not Fold.HISTOGRAM:
        number = exposed.number(shown.quantity)
        if number is not None:
            yield Point(shown.family, {**own, **shown.labels}, number)
        return
    histogram = exposed.histogram(shown.quantity)
    if histogram is not None:
        told = histogram.sum if shown.family is catalog.KV_TRANSFER_BUSY else histogram.thinned(BUCKETS)
        yield Point(shown.family, {**own, **shown.labels}, told)
