"""What an LMCache tells, whole: of versions and modes that were not recorded."""

from collections.abc import Sequence
from functools import partial

from exporters import lmcache_points
from exporters.bound import Bound
from exporters.collector import Point
from stack.adapters.exposition import parse
from stack.engines import lmcache_quantities as lq
from stack.engines.lmcache import WANTED, read
from stack.engines.quantities import Quantity
from stack.engines.samples import Histogram
from stack.engines.versions import Version
from stack.metrics import catalog
from stack.metrics.family import Label
from tests.exporters import synthetic_lmcache

OWN = {Label.REPLICA: "l"}


def shown(quantities: Sequence[Quantity], version: Version, adapters: int = 10) -> list[Point]:
    samples = parse(synthetic_lmcache.exposition(quantities, version), WANTED)
    return list(lmcache_points.points(OWN, read(samples), partial(Bound(adapters), "l")))


def numbers(points: Sequence[Point]) -> dict[str, float]:
    """Values by family and the labels that are not the server's; of histograms their sums."""
    found = {}
    for point in points:
        labels = [point.labels[label] for label in sorted(point.labels.keys() - OWN)]
        name = " ".join([point.family.name.removeprefix("kvdeck_"), *labels])
        found[name] = point.value.sum if isinstance(point.value, Histogram) else point.value
    return found


def test_a_server_of_today_shows_everything_by_tier_and_reason() -> None:
    each = {quantity.name: synthetic_lmcache.amount(lq.MULTI_PROCESS, quantity) for quantity in lq.MULTI_PROCESS}
    assert numbers(shown(lq.MULTI_PROCESS, (0, 5, 6))) == {
        "cache_server_info multi_process": 1.0,
        "cache_counters_doubtful events_dropped": 1.0,
        "cache_counters_doubtful events_uncounted": 1.0,
        "cache_lookups_total": each["lmcache_lookups"],
        "cache_hit_chunks_total l1": each["lmcache_l1_hit_chunks"],
        "cache_hit_chunks_total l2": each["lmcache_l2_hit_chunks"],
        "cache_stored_chunks_total l1": each["lmcache_l1_written_chunks"],
        "cache_stored_chunks_total l2": each["lmcache_l2_written_chunks"],
        "cache_loaded_chunks_total l2": each["lmcache_l2_loaded_chunks"],
        "cache_used_bytes l1": each["lmcache_l1_used_bytes"],
        "cache_used_ratio l1": each["lmcache_l1_used"],
        "cache_believed_bytes l2": each["lmcache_l2_believed_bytes"],
        "cache_evicted_chunks_total l1": each["lmcache_l1_evicted_chunks"],
        "cache_evicted_chunks_total l2": each["lmcache_l2_evicted_chunks"],
        "cache_residency_seconds lifetime l1": each["lmcache_l1_lifetime"],
        "cache_residency_seconds idle_before_evict l1": each["lmcache_l1_idle_before_eviction"],
        "cache_residency_seconds reuse_gap l1": each["lmcache_l1_reuse_gap"],
        "cache_residency_seconds evict_reuse_gap l1": each["lmcache_l1_evict_reuse_gap"],
        "cache_allocation_failures_total store l1": each["lmcache_l1_not_allocated_chunks"] / 2,
        "cache_allocation_failures_total other l1": each["lmcache_l1_not_allocated_chunks"] / 2,
        "cache_load_failures_total not_found l1": each["lmcache_l1_unread_chunks"] / 2,
        "cache_load_failures_total other l1": each["lmcache_l1_unread_chunks"] / 2,
        "cache_load_failures_total not_found l2": each["lmcache_l2_unread_chunks"] / 2,
        "cache_load_failures_total other l2": each["lmcache_l2_unread_chunks"] / 2,
        "cache_lookup_early_exits_total no_gpu_context": each["lmcache_lookup_early_exits"] / 2,
        "cache_lookup_early_exits_total other": each["lmcache_lookup_early_exits"] / 2,
        "cache_l2_stores_submitted_total": each["lmcache_l2_stores_submitted"],
        "cache_l2_stores_completed_total resp": each["lmcache_l2_stores_completed"] / 2,
        "cache_l2_stores_completed_total fs": each["lmcache_l2_stores_completed"] / 2,
        "cache_operations_in_flight prefetch": each["lmcache_prefetches_in_flight"],
        "cache_operations_in_flight p2p_lookup": each["lmcache_p2p_lookups_in_flight"],
        "cache_operations_in_flight l2_store": each["lmcache_l2_stores_in_flight"],
        "cache_operations_in_flight l2_load": each["lmcache_l2_loads_in_flight"],
        "cache_device_transfers_submitted_total load": each["lmcache_device_loads_submitted"],
        "cache_device_transfers_finished_total load": each["lmcache_device_loads_finished"],
        "cache_device_transfers_submitted_total store": each["lmcache_device_stores_submitted"],
        "cache_device_transfers_finished_total store": each["lmcache_device_stores_finished"],
        "cache_timeouts_total": each["lmcache_timeouts"],
        "cache_dropped_events_total": each["lmcache_dropped_events"],
        "kv_transfer_bytes_total load lmcache": each["lmcache_staged_bytes"] / 2,
        "kv_transfer_bytes_total store lmcache": each["lmcache_staged_bytes"] / 2,
        "kv_transfer_busy_seconds_total load lmcache": each["lmcache_staged_time"] / 2,
        "kv_transfer_busy_seconds_total store lmcache": each["lmcache_staged_time"] / 2,
    }


def test_a_server_of_0_4_3_shows_what_it_counts_under_today_s_families() -> None:
    each = {quantity.name: synthetic_lmcache.amount(lq.MULTI_PROCESS, quantity) for quantity in lq.MULTI_PROCESS}
    assert numbers(shown(lq.MULTI_PROCESS, (0, 4, 3))) == {
        "cache_server_info multi_process": 1.0,
        "cache_lookups_total": each["lmcache_lookups"],
        "cache_hit_chunks_total l1": each["lmcache_l1_hit_chunks"],
        "cache_hit_chunks_total l2": each["lmcache_l2_hit_chunks"],
        "cache_stored_chunks_total l1": each["lmcache_l1_written_chunks"],
        "cache_stored_chunks_total l2": each["lmcache_l2_written_chunks"],
        "cache_loaded_chunks_total l2": each["lmcache_l2_loaded_chunks"],
        "cache_evicted_chunks_total l1": each["lmcache_l1_evicted_chunks"],
        "cache_allocation_failures_total unspecified l1": each["lmcache_l1_not_allocated_chunks"],
        "cache_allocation_failures_total put l2": each["lmcache_l2_not_stored_chunks"],
        "cache_load_failures_total unspecified l2": each["lmcache_l2_unread_chunks"],
        "cache_l2_stores_submitted_total": each["lmcache_l2_stores_submitted"],
        "cache_l2_stores_completed_total resp": each["lmcache_l2_stores_completed"] / 2,
        "cache_l2_stores_completed_total fs": each["lmcache_l2_stores_completed"] / 2,
    }


def test_inside_an_engine_l2_moves_bytes_in_seconds() -> None:
    each = {quantity.name: synthetic_lmcache.amount(lq.IN_PROCESS, quantity) for quantity in lq.IN_PROCESS}
    assert numbers(shown(lq.IN_PROCESS, (0, 3, 9))) == {
        "cache_server_info in_process": 1.0,
        "cache_used_bytes l1": each["lmcache_l1_used_bytes"],
        "cache_believed_bytes l2": each["lmcache_l2_believed_bytes"],
        "cache_evicted_chunks_total l1": each["lmcache_l1_evicted_chunks"],
        "cache_allocation_failures_total eviction l1": each["lmcache_l1_failed_evictions"],
        "cache_l2_ping_seconds": each["lmcache_l2_ping"],
        "cache_l2_ping_failures_total": each["lmcache_l2_pings_failed"],
        "kv_transfer_bytes_total load lmcache_l2": each["lmcache_l2_read_bytes"],
        "kv_transfer_busy_seconds_total load lmcache_l2": each["lmcache_l2_read_time"],
        "kv_transfer_bytes_total store lmcache_l2": each["lmcache_l2_written_bytes"],
        "kv_transfer_busy_seconds_total store lmcache_l2": each["lmcache_l2_write_time"],
    }


def test_from_0_4_3_on_it_tells_its_health_too() -> None:
    before, after = (numbers(shown(lq.IN_PROCESS, version)) for version in ((0, 3, 9), (0, 4, 3)))
    assert after == before | {"cache_healthy_ratio": synthetic_lmcache.amount(lq.IN_PROCESS, lq.INSIDE_HEALTHY)}


def test_the_controller_shows_its_index_and_what_it_lost() -> None:
    each = {quantity.name: synthetic_lmcache.amount(lq.CONTROLLER, quantity) for quantity in lq.CONTROLLER}
    assert numbers(shown(lq.CONTROLLER, (0, 5, 6))) == {
        "cache_server_info controller": 1.0,
        "cache_counters_doubtful index_gaps": 1.0,
        "cache_index_keys": each["lmcache_index_keys"],
        "cache_index_workers": each["lmcache_index_workers"],
    }


def test_the_coordinator_shows_its_directory() -> None:
    each = {quantity.name: synthetic_lmcache.amount(lq.COORDINATOR, quantity) / 2 for quantity in lq.COORDINATOR}
    assert numbers(shown(lq.COORDINATOR, (0, 5, 6))) == {
        "cache_server_info coordinator": 1.0,
        "cache_directory_placements l1": each["lmcache_directory_placements"],
        "cache_directory_placements l2": each["lmcache_directory_placements"],
        "cache_directory_bytes l1": each["lmcache_directory_bytes"],
        "cache_directory_bytes l2": each["lmcache_directory_bytes"],
    }


def test_types_of_adapters_are_bounded_and_those_beyond_are_summed() -> None:
    stores = [point for point in shown(lq.MULTI_PROCESS, (0, 5, 6), 0) if point.family is catalog.CACHE_L2_STORES_COMPLETED]
    every = synthetic_lmcache.amount(lq.MULTI_PROCESS, lq.STORES_COMPLETED)
    assert stores == [Point(catalog.CACHE_L2_STORES_COMPLETED, OWN | {Label.ADAPTER: "other"}, every)]


def test_a_server_has_few_buckets_of_each_stay() -> None:
    stays = [point.value for point in shown(lq.MULTI_PROCESS, (0, 5, 6)) if point.family is catalog.CACHE_RESIDENCY]
    assert all(isinstance(stay, Histogram) and len(stay.buckets) <= lmcache_points.BUCKETS for stay in stays)
