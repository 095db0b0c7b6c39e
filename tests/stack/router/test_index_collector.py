"""The index's exposition is exactly what it knows now."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, generate_latest

from stack.cache.index import BlockIndex
from stack.fleet.engine import Engine
from stack.fleet.snapshot import Fleet, Member
from stack.model.kv_event import KvBatch, Source, Stored
from stack.model.target import Target
from stack.model.tier import Pool, Tier
from stack.router.index_collector import IndexCollector

TARGET = Target(replica="d0", url="http://d", pool=Pool.DECODE, model="m", model_root="/m", kv_events="ipc:///run/d0")
SILENT = Target(replica="d1", url="http://e", pool=Pool.DECODE, model="m", model_root="/m")


def test_samples_follow_what_is_known() -> None:
    fleet, index, registry = Fleet.of([Member(Engine(TARGET)), Member(Engine(SILENT))]), BlockIndex(), CollectorRegistry()
    IndexCollector(lambda: fleet, index).register(registry)
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
