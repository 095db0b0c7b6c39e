"""One LMCache's exposition as a reading, whatever its mode."""

import json
from pathlib import Path

import pytest

from stack.adapters.exposition import parse
from stack.engines import lmcache_quantities as lq
from stack.engines.lmcache import WANTED, Mode, Reading, TierHits, l1_capacity_bytes, read
from stack.engines.quantities import State
from tests.exporters.recorded import DATA, exposition


def reading(document: bytes) -> Reading:
    return read(parse(document, WANTED))


def test_a_recorded_server_is_read_whole() -> None:
    server = reading(exposition("lmcache-0.5.6-mp-server"))
    assert (server.mode, server.started, server.has_l2) == (Mode.MULTI_PROCESS, 1.7959674725e09, True)
    assert server.hits == {"/models/smollm2": TierHits(28928.0, 4864.0, 3072.0, 7936.0)}
    assert server.doubts == {"events_dropped": False}
    assert {name: one.number for name, one in server.exposed.all.items() if one.number is not None} == {
        "lmcache_lookup_tokens": 28928.0,
        "lmcache_hit_tokens": 7936.0,
        "lmcache_l1_hit_tokens": 4864.0,
        "lmcache_l2_hit_tokens": 3072.0,
        "lmcache_lookups": 17.0,
        "lmcache_l1_hit_chunks": 19.0,
        "lmcache_l2_hit_chunks": 12.0,
        "lmcache_l2_loaded_chunks": 12.0,
        "lmcache_l1_used_bytes": 412_876_800.0,
        "lmcache_l1_used": 0.76904296875,
        "lmcache_l2_believed_bytes": 967_311_360.0,
        "lmcache_l1_written_chunks": 94.0,
        "lmcache_l2_written_chunks": 82.0,
        "lmcache_l1_evicted_chunks": 59.0,
        "lmcache_dropped_events": 0.0,
        "lmcache_l2_stores_submitted": 12.0,
        "lmcache_l2_stores_completed": 12.0,
        "lmcache_prefetches_in_flight": 1.0,
        "lmcache_p2p_lookups_in_flight": 0.0,
    }


def test_salts_are_summed_and_models_kept_apart() -> None:
    server = reading(
        b"""lmcache_mp_lookup_requested_tokens_total{cache_salt="a",model_name="/m"} 512
lmcache_mp_lookup_requested_tokens_total{cache_salt="b",model_name="/m"} 256
lmcache_mp_lookup_requested_tokens_total{cache_salt="a",model_name="/n"} 256
lmcache_mp_lookup_hit_l1_tokens_total{cache_salt="a",model_name="/m"} 256
"""
    )
    assert server.hits == {"/m": TierHits(768.0, 256.0, None), "/n": TierHits(256.0, None, None)}
    assert server.has_l2 is False


def test_hits_that_a_release_counts_but_does_not_fill_by_tier_have_none() -> None:
    server = reading(
        b"""lmcache_mp_lookup_requested_tokens_total{model_name="/m"} 512
lmcache_mp_lookup_hit_tokens_total{model_name="/m"} 256
lmcache_mp_lookup_hit_l1_tokens_total{model_name="/m"} 0
lmcache_mp_lookup_hit_l2_tokens_total{model_name="/m"} 0
"""
    )
    assert server.hits == {"/m": TierHits(512.0, None, None, 256.0)}


def test_hits_in_one_tier_alone_are_told_apart() -> None:
    server = reading(
        b"""lmcache_mp_lookup_requested_tokens_total{model_name="/m"} 512
lmcache_mp_lookup_hit_tokens_total{model_name="/m"} 256
lmcache_mp_lookup_hit_l1_tokens_total{model_name="/m"} 0
lmcache_mp_lookup_hit_l2_tokens_total{model_name="/m"} 256
"""
    )
    assert server.hits == {"/m": TierHits(512.0, 0.0, 256.0, 256.0)}


def test_no_hits_at_all_are_none_in_either_tier() -> None:
    lines = [f'lmcache_mp_lookup_hit{tier}_tokens_total{{model_name="/m"}} 0\n' for tier in ("", "_l1", "_l2")]
    server = reading("".join(['lmcache_mp_lookup_requested_tokens_total{model_name="/m"} 512\n', *lines]).encode())
    assert server.hits == {"/m": TierHits(512.0, 0.0, 0.0, 0.0)}


def test_inside_an_engine_hits_have_no_tier() -> None:
    inside = reading(
        b"""lmcache:num_lookup_tokens_total{model_name="/m",worker_id="0"} 512
lmcache:num_lookup_tokens_total{model_name="/m",worker_id="1"} 512
lmcache:num_lookup_hits_total{model_name="/m",worker_id="0"} 256
lmcache:retrieve_hit_rate{model_name="/m",worker_id="0"} 1
"""
    )
    assert (inside.mode, inside.hits) == (Mode.IN_PROCESS, {"/m": TierHits(1024.0, None, None, 256.0)})


def test_before_the_first_lookup_nothing_is_said_of_hits() -> None:
    silent = reading(b"process_start_time_seconds 1\n")
    assert (silent.mode, silent.started, silent.hits, silent.doubts) == (Mode.SILENT, 1.0, {}, {})


def test_a_server_that_evicted_nothing_so_far_says_so_by_its_eviction_loop() -> None:
    evicted = reading(b"lmcache_mp_l1_eviction_loop_ticks_total 5\n").exposed.all[lq.L1_EVICTED.name]
    assert (evicted.state, evicted.number) == (State.PRESENT, 0.0)


def test_a_store_that_is_submitted_and_not_completed_is_no_silence() -> None:
    server = reading(b"lmcache_mp_l2_store_submitted_requests_total 3\n")
    assert server.exposed.by("l2_name", lq.STORES_COMPLETED) == {"": 0.0}


def test_an_old_server_counts_under_old_names_and_says_what_it_lacks() -> None:
    server = reading(b"lmcache_mp_l1_evicted_keys_total 7\nlmcache_mp_l2_store_tasks_total 2\n")
    evicted, hits = (server.exposed.all[quantity.name] for quantity in (lq.L1_EVICTED, lq.FOUND_L1))
    assert (evicted.state, evicted.number) == (State.RENAMED, 7.0)
    assert (hits.state, hits.reason) == (State.ABSENT, "0.4.3 does not have it; versions from 0.5.6 on do")


def test_a_release_in_between_has_names_of_both() -> None:
    server = reading(
        b"""lmcache_mp_l1_evicted_keys_total 7
lmcache_mp_l1_memory_usage_bytes 1
lmcache_mp_lookup_requested_tokens_total{model_name="/m"} 512
lmcache_mp_lookup_hit_tokens_total{model_name="/m"} 256
lmcache_mp_l1_allocation_failure_total{during="l1_store"} 3
lmcache_mp_sm_write_failed_keys_total 5
"""
    )
    assert server.hits == {"/m": TierHits(512.0, None, None, 256.0)}
    assert server.exposed.by("during", lq.NOT_ALLOCATED) == {"l1_store": 3.0}
    assert server.exposed.all[lq.FOUND_L1.name].reason == "0.5.0 does not have it; versions from 0.5.6 on do"


def test_a_server_of_today_does_not_have_what_was_dropped() -> None:
    dropped = reading(exposition("lmcache-0.5.6-mp-server")).exposed.all[lq.L2_NOT_STORED.name]
    assert (dropped.state, dropped.reason) == (State.ABSENT, "0.5.6 does not have it any more")


def test_milliseconds_and_minutes_become_seconds() -> None:
    inside = reading(
        b"""lmcache:remote_time_to_get_sum 1500
lmcache:remote_time_to_get_count 3
lmcache:remote_ping_latency 250
lmcache:request_cache_lifespan_sum 2
lmcache:request_cache_lifespan_count 1
"""
    )
    took = [inside.exposed.histogram(quantity) for quantity in (lq.INSIDE_READ_TIME, lq.INSIDE_LIFESPAN)]
    assert [one and (one.sum, one.count) for one in took] == [(1.5, 3.0), (120.0, 1.0)]
    assert inside.exposed.number(lq.INSIDE_PING) == 0.25


def test_only_staging_tells_how_kv_moves() -> None:
    server = reading(
        b"""lmcache_mp_transfer_phase_bytes_total{device_index="0",direction="h2d",phase="staging"} 10
lmcache_mp_transfer_phase_bytes_total{device_index="1",direction="h2d",phase="staging"} 10
lmcache_mp_transfer_phase_bytes_total{device_index="0",direction="h2d",phase="kernel"} 10
"""
    )
    assert server.exposed.by("direction", lq.STAGED_BYTES) == {"h2d": 20.0}


@pytest.mark.parametrize(
    ("line", "doubts"),
    [
        (b"lmcache_mp_event_bus_dropped_events_total 2", {"events_dropped": True}),
        (b'lmcache_mp_event_bus_subscriber_exceptions_total{subscriber_name="x"} 1', {"events_uncounted": True}),
        (b"lmcache:cache_controller_kv_op_seq_discontinuity_count 1", {"index_gaps": True}),
        (b"lmcache:cache_controller_kv_op_seq_discontinuity_count 0", {"index_gaps": False}),
    ],
)
def test_lost_events_make_all_counters_doubtful(line: bytes, doubts: dict[str, bool]) -> None:
    assert reading(line + b"\n").doubts == doubts


def test_the_size_of_l1_is_in_the_status() -> None:
    assert l1_capacity_bytes(json.loads(Path(DATA / "lmcache_status.json").read_text())) == 536_870_912.0


@pytest.mark.parametrize(
    "status",
    [None, [], {}, {"storage_manager": None}, {"storage_manager": {"l1_usage": [1]}}, {"storage_manager": {"l1_usage": [0, 0]}}],
)
def test_a_status_of_another_shape_says_nothing(status: object) -> None:
    assert l1_capacity_bytes(status) is None
