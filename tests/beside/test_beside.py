"""Beside somebody else's fleet, where kvdeck only watches: alerts are judged and silent, and a panel says why it is empty."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.grafana.shapes import Needs, Panel
from stack.metrics import catalog
from tests.beside.stand import ENGINES, Stand, standing
from tests.expressions.expressions import narrowed, panels, rules, selectors

pytestmark = pytest.mark.e2e

TRAFFIC_SECONDS = 30.0
DEFAULT = {"native", "exporter"}
# What this fleet has not, by how a selector begins: an alert about it has nothing to judge, and says so by being absent.
NOT_HERE = {
    "lmcache": "no LMCache, in no mode",
    "redis_": "no store, and no exporter of Redis",
    "kvdeck_store_": "no store",
    "kvdeck_tier_daemon_": "no HyperPod",
    "kvdeck_cache_server_info": "no LMCache",
    "kvdeck_cache_dropped_events_total": "no LMCache",
    "kvdeck_cache_loaded_tokens_total": "no LMCache",
    'kvdeck_cache_hit_tokens_total{tier="lmcache"}': "no LMCache",
    'kvdeck_cache_lookup_tokens_total{tier="lmcache"}': "no LMCache",
    "kvdeck_cache_allocation_failures_total": "no L1",
    "kvdeck_cache_evicted_chunks_total": "no cache server whose L1 evicts",
    "kvdeck_cache_residency_seconds": "no cache server whose L1 evicts",
    "kvdeck_cache_l2_": "no L2",
    'kvdeck_cache_believed_bytes{tier="l2"}': "no L2",
    "kvdeck_cache_load_failures_total": "no L2",
    "kvdeck_cache_evicted_keys_total": "no store that evicts",
    'kvdeck_cache_used_ratio{tier="l2"}': "no store",
    'kvdeck_scrape_collector_success{collector="store"}': "no store",
    'kvdeck_cache_lookup_tokens_total{tier="l2"}': "no L2",
    'kvdeck_cache_lookup_tokens_total{tier!="engine"}': "no tier but the engines' own",
    "kvdeck_cache_counters_doubtful": "no LMCache",
    "kvdeck_fabric_": "no RDMA devices",
    "node_": "no RDMA devices",
    "kvdeck_foreign_router_failed_requests_total": "not counted by vllm-router",
    "kvdeck_kv_transfer_failures_doubtful": "no transfers",
    "kvdeck_quantity_state{quantity=": "what is asked of engines is told",
    'kvdeck_target_info{version=""}': "every engine tells its version",
    "kvdeck_exporter_sample_age_seconds": "the exporter reads when it is asked",
    'kvdeck_scrape_collector_success{collector!~"engines|store|routers"}': "nothing else to read",
    'kvdeck_engine_requests{pool="prefill"': "no prefill pool",
    "vllm:gpu_": "names of older versions, asked for with `or`",
    "vllm:time_per_output_token_seconds": "names of older versions, asked for with `or`",
    "kvdeck_router_": "no router of kvdeck",
}


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    with standing(tmp_path_factory.mktemp("beside")) as found:
        _traffic(found)
        yield found


def _traffic(stand: Stand) -> None:
    """Conversations of four turns, three at a time."""
    end, number = time.monotonic() + TRAFFIC_SECONDS, 0
    with ThreadPoolExecutor(3) as clients:
        while time.monotonic() < end:
            list(clients.map(lambda each: stand.chat(each, turns=4), range(number, number + 3)))
            number += 3


def test_the_exporter_reads_every_engine_and_the_foreign_router(stand: Stand) -> None:
    assert stand.count(catalog.TARGET_INFO.name) == len(ENGINES)
    assert stand.count(f'{catalog.SCRAPE_COLLECTOR_SUCCESS.name}{{collector="engines"}} == 1') == len(ENGINES)
    assert stand.count(f'{catalog.SCRAPE_COLLECTOR_SUCCESS.name}{{collector="routers"}} == 1') == 1


def test_every_default_alert_is_evaluated_and_silent(stand: Stand) -> None:
    judged = [rule for rule in stand.alerts() if rule["labels"]["requires"] in DEFAULT]
    assert len(judged) >= 12
    assert {rule["name"]: rule.get("lastError") for rule in judged if rule["health"] != "ok"} == {}
    assert {rule["name"]: rule["alerts"] for rule in judged if rule["state"] != "inactive"} == {}


def test_what_a_default_alert_looks_at_is_there_or_not_part_of_this_fleet(stand: Stand) -> None:
    asked = {selector for rule in stand.alerts() if rule["labels"]["requires"] in DEFAULT for selector in _roots(rule["query"])}
    silent = {selector for selector in asked if not stand.count(selector)}
    assert sorted(selector for selector in silent if not selector.startswith(tuple(NOT_HERE))) == []
    assert [why for beginning, why in NOT_HERE.items() if not any(selector.startswith(beginning) for selector in silent)] == []


def _roots(expression: str) -> set[str]:
    """The selectors that `expression` rests on, also by recording rules."""
    recorded = dict(rules())
    below = [recorded[name] for name in recorded if name.startswith("kvdeck:") and name in expression]
    return selectors(expression) | {selector for each in below for selector in _roots(each)}


def test_every_panel_shows_something_or_says_why_not(stand: Stand) -> None:
    empty = [panel for panel in panels() if not any(stand.count(narrowed(query.expr, ".*")) for query in panel.queries)]
    assert [panel.title for panel in empty if not _says_why(panel)] == []
    assert {"Requests of other routers", "Sent to each engine"}.isdisjoint(panel.title for panel in empty)


def _says_why(panel: Panel) -> bool:
    """Panels on kvdeck's own router and control are empty without them, which every such panel says."""
    return bool(panel.empty) or panel.needs not in (Needs.NATIVE, Needs.EXPORTER)
