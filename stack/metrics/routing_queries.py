"""The questions about routing, steering and the deck itself, each with its unit and its meaning."""

from __future__ import annotations

from stack.metrics import catalog
from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, Where, aggregate, matchers, rate, selector, total
from stack.metrics.queries import WINDOW, Query


def decisions(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.STRATEGY, Label.PATH, Label.BACKEND)
    return Query(
        rate(catalog.ROUTER_DECISIONS, by, where, window), "requests/s", by, "Requests by strategy, path and decode engine."
    )


def flow(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """All of `window`, not by the second: for a picture of where its requests went."""
    by = (Label.MODEL_NAME, Label.STRATEGY, Label.PATH, Label.BACKEND)
    expr = total(f"increase({selector(catalog.ROUTER_DECISIONS, where, window=window)})", by)
    return Query(expr, "requests", by, "Requests by strategy, path and decode engine, counted from the routers' counters.")


def decision_reasons(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.STRATEGY, Label.REASON)
    return Query(rate(catalog.ROUTER_DECISIONS, by, where, window), "requests/s", by, "Why decode engines were chosen.")


def fallbacks(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.REASON,)
    text = "Requests that were not served the way the configuration asks for."
    return Query(rate(catalog.ROUTER_FALLBACKS, by, where, window), "requests/s", by, text)


def in_flight(where: Where = EVERYWHERE) -> Query:
    by = (Label.POOL, Label.BACKEND)
    return Query(total(selector(catalog.ROUTER_IN_FLIGHT, where), by), "requests", by, "Requests the routers have at each engine.")


def engine_health(where: Where = EVERYWHERE) -> Query:
    by = (Label.POOL, Label.BACKEND, Label.STATE)
    text = "1 for the state that some router gives an engine; two states at once mean that routers disagree."
    return Query(f"{aggregate('max', selector(catalog.ROUTER_ENGINE_HEALTH, where), by)} == 1", "", by, text)


def pool_replicas(where: Where = EVERYWHERE) -> Query:
    by = (Label.POOL, Label.STATE)
    text = "Engines of each pool, desired and ready."
    return Query(aggregate("max", selector(catalog.CONTROL_POOL_REPLICAS, where), by), "engines", by, text)


def generation_lag(where: Where = EVERYWHERE) -> Query:
    """How many generations the slowest router is behind."""
    desired = aggregate("max", selector(catalog.CONTROL_GENERATION, where), ())
    applied = aggregate("min", selector(catalog.ROUTER_GENERATION, where), ())
    return Query(f"{desired} - {applied}", "generations", (), "Generations the slowest router is behind control.")


def collectors_failing(where: Where = EVERYWHERE) -> Query:
    """Targets the exporter could not read."""
    by = (Label.COLLECTOR, Label.TARGET)
    text = "Targets that the exporter could not read: their series are absent."
    return Query(f"{aggregate('min', selector(catalog.SCRAPE_COLLECTOR_SUCCESS, where), by)} == 0", "", by, text)


def collector_seconds(where: Where = EVERYWHERE) -> Query:
    by = (Label.COLLECTOR, Label.TARGET)
    text = "How long the exporter took for each target."
    return Query(aggregate("max", selector(catalog.SCRAPE_COLLECTOR_DURATION, where), by), "seconds", by, text)


def quantity_states(where: Where = EVERYWHERE) -> Query:
    by = (Label.QUANTITY, Label.STATE)
    text = "Targets by how a quantity is known: renamed, hidden, absent, stale and reset ones are not told as expected."
    found = total(selector(catalog.QUANTITY_STATE, where), by)
    return Query(f"{found} > 0", "targets", by, text)


def engine_versions(where: Where = EVERYWHERE) -> Query:
    by = (Label.VERSION, Label.EMULATED)
    return Query(aggregate("count", selector(catalog.TARGET_INFO, where), by), "engines", by, "Listed engines by version.")


def firing_alerts(where: Where = EVERYWHERE) -> Query:
    """The alerts that fire now, in Prometheus' own series of them."""
    narrowed = ",".join(text for text in ('alertstate="firing"', matchers(where)) if text)
    return Query(f"ALERTS{{{narrowed}}}", "", (), "1 for each alert that fires, by the labels alertname and severity.")
