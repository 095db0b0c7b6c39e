"""The questions about pools and single engines. Each answers many quantities at once, told apart by the label `quantity`.

So a page asks once for a pool's engines, whatever their number, and not once for each engine or each quantity.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from stack.metrics import catalog
from stack.metrics.family import Family, Label
from stack.metrics.promql import EVERYWHERE, KEPT, Where, aggregate, named, rate, ratio, renamed, selector, total
from stack.metrics.queries import WINDOW, Query
from stack.model.tier import Tier

_POOL = (Label.MODEL_NAME, Label.POOL)
_ENGINE = (*_POOL, Label.REPLICA)


class Quantity(StrEnum):
    """What is told of a pool or an engine."""

    IN_FLIGHT = "in_flight"
    RUNNING = "running"
    WAITING = "waiting"
    USED = "used"
    FULLEST = "fullest"
    ENGINE_HITS = "hits_engine"
    L1_HITS = "hits_l1"
    L2_HITS = "hits_l2"
    PROMPT = "prompt"
    GENERATED = "generated"
    PREEMPTIONS = "preemptions"
    DESIRED = "desired"
    LISTED = "listed"
    HEALTH = "health"
    UNREAD = "unread"
    AGE = "age"


UNITS = {
    Quantity.IN_FLIGHT: "requests",
    Quantity.RUNNING: "requests",
    Quantity.WAITING: "requests",
    Quantity.USED: "ratio",
    Quantity.FULLEST: "ratio",
    Quantity.ENGINE_HITS: "ratio",
    Quantity.L1_HITS: "ratio",
    Quantity.L2_HITS: "ratio",
    Quantity.PROMPT: "tokens/s",
    Quantity.GENERATED: "tokens/s",
    Quantity.PREEMPTIONS: "1/s",
}
"""Of the quantities that are measured."""


def pools(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (*_POOL, Label.QUANTITY)
    desired = aggregate("max", selector(catalog.CONTROL_POOL_REPLICAS, {Label.STATE: "desired", **where}), _POOL)
    parts = [*_measured(_POOL, where, window), named(desired, Label.QUANTITY, Quantity.DESIRED)]
    return Query(" or ".join(parts), "", by, "Load, cache and tokens of each pool, and how many engines are desired of it.")


def engines(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (*_ENGINE, Label.QUANTITY)
    return Query(" or ".join(_measured(_ENGINE, where, window)), "", by, "Load, cache and tokens of each engine.")


def listing(where: Where = EVERYWHERE) -> Query:
    """Who there is: listed with version and age in seconds, what routers say, what cannot be read, how old samples are."""
    told = (*_ENGINE, Label.VERSION, Label.EMULATED)
    age = aggregate("min", f"time() - timestamp({selector(catalog.TARGET_INFO, where)})", told)
    health = aggregate("max", _as_replica(catalog.ROUTER_ENGINE_HEALTH, where), (*_ENGINE, Label.STATE))
    everywhere = {label: value for label, value in where.items() if label in KEPT}
    unread = aggregate("min", selector(catalog.SCRAPE_COLLECTOR_SUCCESS, everywhere), (Label.COLLECTOR, Label.TARGET))
    kept = aggregate("max", selector(catalog.EXPORTER_SAMPLE_AGE, everywhere), ())
    parts = {Quantity.LISTED: age, Quantity.HEALTH: f"{health} == 1", Quantity.UNREAD: f"{unread} == 0", Quantity.AGE: kept}
    expr = " or ".join(named(expression, Label.QUANTITY, quantity) for quantity, expression in parts.items())
    return Query(expr, "", (*told, Label.QUANTITY), "Engines as the exporter lists them and as routers see them.")


def course(where: Where = EVERYWHERE) -> Query:
    """How many engines there were, by state."""
    by = (Label.QUANTITY, Label.STATE)
    each = aggregate("max", selector(catalog.ROUTER_ENGINE_HEALTH, where), (*_POOL, Label.BACKEND, Label.STATE))
    listed = aggregate("count", aggregate("max", selector(catalog.TARGET_INFO, where), _ENGINE), ())
    desired = total(aggregate("max", selector(catalog.CONTROL_POOL_REPLICAS, where), (*_POOL, Label.STATE)), (Label.STATE,))
    parts = {
        Quantity.HEALTH: aggregate("count", f"{each} == 1", (Label.STATE,)),
        Quantity.LISTED: listed,
        Quantity.DESIRED: desired,
    }
    expr = " or ".join(named(expression, Label.QUANTITY, quantity) for quantity, expression in parts.items())
    text = "Engines by the state that routers give them, and how many are listed. One that routers disagree on counts twice."
    return Query(expr, "engines", by, text)


def comings(where: Where = EVERYWHERE, length: str = "15m", step: str = "15s", most: int = 100) -> Query:
    """When engines were first or last seen (Unix seconds) that were not listed at the begin, or are not any more.

    The newest `most` of either `event`, looked for every `step`; `since` is when anything at all was first seen.
    """
    listed = selector(catalog.TARGET_INFO, where)
    seen = f"timestamp({listed})[{length}:{step}]"
    first, last = (aggregate(how, f"{how}_over_time({seen})", _ENGINE) for how in ("min", "max"))
    then = aggregate("max", selector(catalog.TARGET_INFO, where) + f" offset {length}", _ENGINE)
    now = aggregate("max", listed, _ENGINE)
    parts = {
        "joined": f"topk({most}, {first} unless {then})",
        "left": f"topk({most}, {last} unless {now})",
        "since": aggregate("min", f"min_over_time({seen})", ()),
    }
    expr = " or ".join(named(expression, Label.EVENT, event) for event, expression in parts.items())
    return Query(expr, "", (*_ENGINE, Label.EVENT), "Engines that the exporter began or ceased to list, and when.")


def _measured(by: tuple[Label, ...], where: Where, window: str) -> Iterator[str]:
    requests = total(selector(catalog.ENGINE_REQUESTS, where), (*by, Label.STATE))
    yield renamed(requests, Label.QUANTITY, Label.STATE)
    yield named(total(_as_replica(catalog.ROUTER_IN_FLIGHT, where), by), Label.QUANTITY, Quantity.IN_FLIGHT)
    used = selector(catalog.CACHE_USED_RATIO, {Label.TIER: Tier.ENGINE, **where})
    yield named(aggregate("avg", used, by), Label.QUANTITY, Quantity.USED)
    yield named(aggregate("max", used, by), Label.QUANTITY, Quantity.FULLEST)
    tiers = (*by, Label.TIER)
    hits, lookups = (rate(family, tiers, where, window) for family in (catalog.CACHE_HIT_TOKENS, catalog.CACHE_LOOKUP_TOKENS))
    yield renamed(ratio(hits, lookups), Label.QUANTITY, Label.TIER, "hits_$1")
    for quantity, family in _RATES.items():
        yield named(rate(family, by, where, window), Label.QUANTITY, quantity)


_RATES = {
    Quantity.PROMPT: catalog.PROMPT_TOKENS,
    Quantity.GENERATED: catalog.ENGINE_GENERATED_TOKENS,
    Quantity.PREEMPTIONS: catalog.ENGINE_PREEMPTIONS,
}


def _as_replica(family: Family, where: Where) -> str:
    """What a router says of its backends, by the label that everybody else has for engines."""
    own: Where = {Label.BACKEND if label is Label.REPLICA else label: value for label, value in where.items()}
    return renamed(selector(family, own), Label.REPLICA, Label.BACKEND)
