"""The index's exposition is exactly what it knows now."""

from __future__ import annotations

from msgspec.structs import replace
from prometheus_client import CollectorRegistry, generate_latest

from stack.cache.index import BlockIndex
from stack.cache.relay import STORE, CacheUpdate, RelayedLedger
from stack.cache.tier_index import TierIndex
from stack.fleet.engine import Engine
from stack.fleet.snapshot import Fleet, Member
from stack.model.chunk import CacheDoubt
from stack.model.kv_event import KvBatch, Source, Stored
from stack.model.target import Target
from stack.model.tier import Pool, Tier
from stack.router.index_collector import IndexCollector

TARGET = Target(replica="d0", url="http://d", pool=Pool.DECODE, model="m", model_root="/m", kv_events="ipc:///run/d0")
SILENT = Target(replica="d1", url="http://e", pool=Pool.DECODE, model="m", model_root="/m")


def test_samples_follow_what_is_known() -> None:
    fleet, index, registry = Fleet.of([Member(Engine(TARGET)), Member(Engine(SILENT))]), BlockIndex(), CollectorRegistry()
    tiers = TierIndex(lambda tokens, chunk_tokens: [], bool)
    IndexCollector(lambda: fleet, index, tiers, lambda: 1.0).register(registry)
    index.follow(Source("d0"), late_at=1.0)
    events = (Stored([1, 2], None, [1, 2, 3, 4], 2, Tier.ENGINE), Stored([9], 8, [1, 2], 2, Tier.ENGINE))
    index.apply(Source("d0"), KvBatch(1.0, events), 1.0)
    assert [line for line in generate_latest(registry).decode().splitlines() if not line.startswith("#")] == [
        'kvdeck_router_index_blocks{backend="d0",model_name="m",tier="engine"} 2.0',
        'kvdeck_router_index_knowledge{backend="d0",model_name="m",state="whole"} 0.0',
        'kvdeck_router_index_knowledge{backend="d0",model_name="m",state="partial"} 1.0',
        'kvdeck_router_index_knowledge{backend="d0",model_name="m",state="unknown"} 0.0',
        'kvdeck_router_index_unplaced_blocks_total{backend="d0",model_name="m",reason="parent_unknown"} 1.0',
    ]


def test_the_tiers_of_a_cache_server_are_told_in_the_engines_blocks_and_not_at_all_while_in_doubt() -> None:
    fleet = Fleet.of([Member(Engine(replace(SILENT, cache_server="lmc")))])
    index, tiers, registry = BlockIndex(), TierIndex(lambda tokens, chunk_tokens: [], bool), CollectorRegistry()
    IndexCollector(lambda: fleet, index, tiers, lambda: 10.0).register(registry)
    index.follow(Source("d1"))
    index.apply(Source("d1"), KvBatch(1.0, (Stored([1], None, [1, 2], 2, Tier.ENGINE),)), 1.0)
    ledger = RelayedLedger(server="lmc", complete=True, held=3, chunk_tokens=8, algorithm="blake3")
    doubted = RelayedLedger(server=STORE, doubt=CacheDoubt.STORE_EVICTED, held=5)
    tiers.take(CacheUpdate(epoch=1, version=1, ledgers=(ledger, doubted)), now=10.0)
    tiers.unknown[Tier.L2, CacheDoubt.STORE_EVICTED] += 2
    assert [line for line in generate_latest(registry).decode().splitlines() if not line.startswith("#")] == [
        'kvdeck_router_index_blocks{backend="d1",model_name="m",tier="engine"} 1.0',
        'kvdeck_router_index_blocks{backend="d1",model_name="m",tier="l1"} 12.0',
        'kvdeck_router_tier_unknown_total{reason="store_evicted",tier="l2"} 2.0',
    ]
