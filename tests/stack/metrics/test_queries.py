"""A mistyped query parses well and returns nothing: so every query is run over a fleet that emits every family."""

import importlib
import pkgutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from stack import metrics
from stack.metrics import objective_queries, queries, routing_queries
from stack.metrics.catalog import CACHE_HIT_TOKENS, CATALOG, FOREIGN_HEALTHY, SCRAPE_COLLECTOR_SUCCESS
from stack.metrics.family import Family, Kind, Label
from stack.metrics.queries import Query
from tests.alerts.promtool import tool

MODEL = {Label.MODEL_NAME: "m"}
QUERIES = {
    "requests": queries.requests(MODEL),
    "time_to_first_token": queries.time_to_first_token(0.95, MODEL),
    "inter_token_latency": queries.inter_token_latency(0.5, MODEL),
    "phase_quantile": queries.phase_quantile(0.95, MODEL),
    "phase_means": queries.phase_means(MODEL),
    "waterfall": queries.waterfall(MODEL),
    "waterfall_shares": queries.waterfall_shares(MODEL),
    "prefill_waterfall": queries.prefill_waterfall(MODEL),
    "waterfall_of_engines": queries.waterfall_of_engines(MODEL),
    "hit_ratio": queries.hit_ratio(MODEL),
    "used_ratio": queries.used_ratio(),
    "used_bytes": queries.used_bytes(),
    "capacity_bytes": queries.capacity_bytes(),
    "evicted_blocks": queries.evicted_blocks(MODEL),
    "evicted_chunks": queries.evicted_chunks(MODEL),
    "evicted_keys": queries.evicted_keys(),
    "transfer_throughput": queries.transfer_throughput(MODEL),
    "transfer_bandwidth": queries.transfer_bandwidth(MODEL),
    "transfer_failures": queries.transfer_failures(MODEL),
    "engine_requests": queries.engine_requests(MODEL),
    "residency": queries.residency(0.5, MODEL),
    "preemptions": queries.preemptions(MODEL),
    "engine_phase_means": queries.engine_phase_means(MODEL),
    "collector_seconds": routing_queries.collector_seconds(),
    "quantity_states": routing_queries.quantity_states(),
    "engine_versions": routing_queries.engine_versions(MODEL),
    "generated_tokens": queries.generated_tokens(MODEL),
    "decisions": routing_queries.decisions(MODEL),
    "flow": routing_queries.flow(MODEL),
    "decision_reasons": routing_queries.decision_reasons(MODEL),
    "fallbacks": routing_queries.fallbacks(MODEL),
    "in_flight": routing_queries.in_flight(MODEL),
    "engine_health": routing_queries.engine_health(MODEL),
    "pool_replicas": routing_queries.pool_replicas(MODEL),
    "generation_lag": routing_queries.generation_lag(),
    "collectors_failing": routing_queries.collectors_failing(),
    "firing_alerts": routing_queries.firing_alerts(),
}


def _asked(module: ModuleType) -> dict[str, Callable[[], Query]]:
    """The module's own questions by name."""
    return {
        name: thing
        for name, thing in vars(module).items()
        if getattr(thing, "__annotations__", {}).get("return") == "Query" and not name.startswith("_")
    }


_OWN = (queries, routing_queries)  # their questions are listed above, narrowed as they are used
_OTHERS = [
    importlib.import_module(f"{metrics.__name__}.{found.name}")
    for found in pkgutil.iter_modules(metrics.__path__)
    if found.name.endswith("_queries") and found.name not in {module.__name__.rpartition(".")[2] for module in _OWN}
]
QUERIES |= {f"{module.__name__}.{name}": ask() for module in _OTHERS for name, ask in _asked(module).items()}


_ASKED = {
    Label.TIER: ("engine", "l1", "l2", "lmcache"),
    Label.PHASE: ("router", "decode_queue", "queue", "prefill"),
    Label.STATE: ("absent", "running", "waiting"),
    Label.SOURCE: ("unknown", "computed", "engine"),
}
"""Of these labels the values that questions are about."""


def _fleet() -> Iterator[dict[str, str]]:
    """Series of every family in both pools: counters grow, gauges are 1, what may fail does; and Prometheus' own of alerts."""
    yield {"series": 'ALERTS{alertname="KvdeckA", alertstate="firing"}', "values": "1x60"}
    yield from ({"series": f'{name}{{model_name="m"}}', "values": "0.05x60"} for name in objective_queries.SERIES)
    yield {"series": 'kvdeck_target_info{replica="tells-nothing", model_name="m"}', "values": "1x60"}
    for family in CATALOG.values():
        for pool in ("prefill", "decode"):
            values = (
                "0x60"
                if family in (SCRAPE_COLLECTOR_SUCCESS, FOREIGN_HEALTHY)
                else "1x60"
                if family.kind is Kind.GAUGE
                else "0+1x60"
            )
            asked = {label: _ASKED[label] for label in family.labels if label in _ASKED}
            for each in product(*asked.values()):
                much = family is CACHE_HIT_TOKENS and "lmcache" in each  # what it finds is more than what is loaded
                for name, labels in _series(family, {Label.POOL: pool, **dict(zip(asked, each, strict=True))}):
                    yield {"series": f"{name}{{{labels}}}", "values": "0+99x60" if much else values}
            if Label.POOL not in family.labels:
                break


def _series(family: Family, told: Mapping[Label, str]) -> Iterator[tuple[str, str]]:
    own = {Label.MODEL_NAME: "m", Label.REASON: "not_found", Label.EVENT: "evict_reuse_gap"}
    own |= {Label.PATH: "dpd", Label.TRANSPORT: "nixl", Label.OPERATION: "read", **told}
    labels = ", ".join(f'{label}="{own.get(label, label)}"' for label in family.labels)
    if family.kind is not Kind.HISTOGRAM:
        yield family.name, labels
        return
    for bound in (*map(str, family.buckets), "+Inf"):
        yield f"{family.name}_bucket", f'{labels}, le="{bound}"'
    yield f"{family.name}_sum", labels
    yield f"{family.name}_count", labels


def test_every_query_function_is_run() -> None:
    made = {name for module in (queries, routing_queries) for name in _asked(module)}
    assert made == {name for name in QUERIES if "." not in name}


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_says_what_it_is(name: str) -> None:
    query = QUERIES[name]
    assert query.help.endswith(".")
    assert query.legend == " ".join(f"{{{{{label.value}}}}}" for label in query.by)


def test_every_query_finds_something(tmp_path: Path) -> None:
    checks = [
        {"expr": f"count({query.expr}) > bool 0", "eval_time": "10m", "exp_samples": [{"labels": "{}", "value": 1}]}
        for query in QUERIES.values()
    ]
    case = tmp_path / "queries.yaml"
    case.write_text(yaml.safe_dump({"tests": [{"interval": "15s", "input_series": list(_fleet()), "promql_expr_test": checks}]}))
    done = subprocess.run([tool("promtool"), "test", "rules", case], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_prompt_tokens_are_never_summed_over_pools() -> None:
    pools: dict[str, Query] = {"waterfall": QUERIES["waterfall"], "waterfall_shares": QUERIES["waterfall_shares"]}
    assert all(query.expr.count("prompt_tokens") == query.expr.count('pool="decode"') for query in pools.values())
    assert Label.POOL in QUERIES["waterfall_of_engines"].by
