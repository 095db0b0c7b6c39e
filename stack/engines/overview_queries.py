"""What an overview asks of a fleet, by model: kvdeck's own series, and vLLM's where those tell nothing of a model in a cluster.

Router and engines may be in different namespaces: so that is not what they are joined by.
"""

from __future__ import annotations

from stack.engines import vllm_queries
from stack.metrics import catalog, queries
from stack.metrics.family import Family, Label
from stack.metrics.promql import (
    EVERYWHERE,
    Where,
    aggregate,
    either,
    matchers,
    named,
    quantile,
    rate,
    ratio,
    renamed,
    selector,
    total,
)
from stack.metrics.queries import WINDOW, Query
from stack.metrics.spread_queries import QUANTILES
from stack.model.tier import Pool, Tier

_ONE = (Label.CLUSTER, Label.MODEL_NAME)
_BY_ENGINES = "As engines tell it, where no router of kvdeck does: a disaggregated request is counted in both pools then."
BY_ENGINES = "engines"
"""The path of latencies that engines tell."""


def requests(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.MODEL_NAME, Label.CODE)
    own = rate(catalog.ROUTER_REQUESTS, by, where, window)
    expr = either(own, renamed(vllm_queries.requests(where, window).expr, Label.CODE, "finished_reason"), _ONE)
    return Query(expr, "requests/s", by, f"Requests answered, by class of status. {_BY_ENGINES}")


def first_token(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = f"95% of streamed requests got their first token within p95, half of them within p50. {_BY_ENGINES}"
    native = {name: vllm_queries.time_to_first_token(q, where, window).expr for name, q in QUANTILES.items()}
    return _spread(catalog.ROUTER_TTFT, native, where, window, text)


def token_gap(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = f"95% of tokens followed the one before within p95, half of them within p50. {_BY_ENGINES}"
    native = {name: vllm_queries.inter_token_latency(q, where, window).expr for name, q in QUANTILES.items()}
    return _spread(catalog.ROUTER_ITL, native, where, window, text)


def hit_ratio(where: Where = EVERYWHERE, window: str = WINDOW, *, models: bool = True) -> Query:
    """By model and tier; not `models`: by tier alone, over all models of a fleet."""
    by = (Label.MODEL_NAME, Label.TIER) if models else (Label.TIER,)
    hits, lookups = (rate(family, by, where, window) for family in (catalog.CACHE_HIT_TOKENS, catalog.CACHE_LOOKUP_TOKENS))
    native = named(vllm_queries.prefix_hit_ratio(where, window).expr, Label.TIER, Tier.ENGINE)
    text = f"{queries.hit_ratio().help} Of engines that the exporter does not read: what they found in their own prefix cache."
    if not models:
        text = f"{text} Over all models that are looked at: each weighs as much as tokens of it were looked up."
    expr = either(ratio(hits, lookups), native, _ONE) if models else ratio(hits, lookups)
    return Query(expr, "ratio", by, text)


def replicas(where: Where = EVERYWHERE) -> Query:
    by = (Label.MODEL_NAME, Label.POOL, Label.STATE)
    text = "Engines that control wants in each pool, and those that are ready and drained."
    return Query(aggregate("max", selector(catalog.CONTROL_POOL_REPLICAS, where), by), "engines", by, text)


def routable(where: Where = EVERYWHERE) -> Query:
    """Absent where no router runs."""
    by = (Label.MODEL_NAME, Label.POOL)
    each = aggregate("max", selector(catalog.ROUTER_ENGINE_HEALTH, {Label.STATE: "ready", **where}), (*by, Label.BACKEND))
    return Query(total(each, by), "engines", by, "Engines that some router holds for ready.")


def listed(where: Where = EVERYWHERE) -> Query:
    by = (Label.MODEL_NAME, Label.POOL)
    seen = aggregate("count", vllm_queries.running(where).expr, (Label.MODEL_NAME,))
    expr = either(aggregate("count", selector(catalog.TARGET_INFO, where), by), seen, _ONE)
    return Query(expr, "engines", by, "Engines that the exporter lists, else those that Prometheus reads itself.")


def load(where: Where = EVERYWHERE) -> Query:
    by = (Label.MODEL_NAME, Label.POOL, Label.STATE)
    own = total(selector(catalog.ENGINE_REQUESTS, where), by)
    text = "Requests running in and waiting for the engines of each pool; an idle engine does not refresh them."
    return Query(either(own, _native_load(where), _ONE), "requests", by, text)


def kv_used(where: Where = EVERYWHERE) -> Query:
    by = (Label.MODEL_NAME, Label.POOL)
    own = aggregate("avg", selector(catalog.CACHE_USED_RATIO, {Label.TIER: Tier.ENGINE, **where}), by)
    native = aggregate("avg", vllm_queries.kv_used(where).expr, (Label.MODEL_NAME,))
    return Query(either(own, native, _ONE), "ratio", by, "Used share of the engines' own KV caches, the mean of a pool's engines.")


def pool_load(where: Where = EVERYWHERE) -> Query:
    """Per pool, not per engine: a fleet of hundreds would be hundreds of lines."""
    by = (Label.POOL, Label.STATE)
    return Query(total(load(where).expr, by), "requests", by, "Requests running in and waiting for the engines of each pool.")


def sources(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """By model, for shares of one and of all."""
    by = (Label.MODEL_NAME, Label.SOURCE)
    expr = rate(catalog.PROMPT_TOKENS, by, {Label.POOL: Pool.DECODE, **where}, window)
    return Query(expr, "tokens/s", by, queries.waterfall().help)


def rules_recorded(where: Where = EVERYWHERE) -> Query:
    """Where no rule records anything no alert can fire, however ill the fleet is."""
    cluster: Where = {label: value for label, value in where.items() if label is Label.CLUSTER}
    series = " or ".join(f"{name}{{{matchers(cluster)}}}" for name in RECORDED)
    return Query(f"count({series})", "", (), "Series that kvdeck's rules record.")


RECORDED = ("kvdeck:decode_engines_ready:count", "kvdeck:vllm_kv_cache_usage:max")
"""Recorded wherever there is an engine or a router at all."""


def _native_load(where: Where) -> str:
    states = {"running": vllm_queries.running(where), "waiting": vllm_queries.waiting(where)}
    parts = (named(total(query.expr, (Label.MODEL_NAME,)), Label.STATE, state) for state, query in states.items())
    return f"({' or '.join(parts)})"


def _spread(family: Family, native: dict[str, str], where: Where, window: str, text: str) -> Query:
    by = (Label.MODEL_NAME, Label.PATH, Label.QUANTILE)
    own = (
        named(quantile(q, family, (Label.MODEL_NAME, Label.PATH), where, window), Label.QUANTILE, name)
        for name, q in QUANTILES.items()
    )
    others = (named(named(expr, Label.QUANTILE, name), Label.PATH, BY_ENGINES) for name, expr in native.items())
    return Query(either(f"({' or '.join(own)})", f"({' or '.join(others)})", _ONE), "seconds", by, text)
