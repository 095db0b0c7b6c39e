"""What speaks for and against a bigger L1: what it evicted and missed, what it was asked for, what L2 found in its place."""

from __future__ import annotations

from stack.metrics import catalog
from stack.metrics.family import Family, Label
from stack.metrics.promql import EVERYWHERE, KEPT, Where, aggregate, loosely, named, rate, ratio, selector, total, worst
from stack.metrics.queries import Query
from stack.metrics.tier_queries import STAY_WINDOW
from stack.model.tier import Tier

MOST = 12
"""So many L1s are judged, those that evict most first."""
_EACH = (Label.REPLICA,)
_L1: Where = {Label.TIER: Tier.L1}


def evidence(where: Where = EVERYWHERE, window: str = STAY_WINDOW) -> Query:
    """One series a kind of evidence (`quantity`) and L1 (`replica`); counts are of the whole `window`."""
    shared = loosely(where, Label.MODEL_NAME)
    parts = {
        "evicted": _count(catalog.CACHE_EVICTED_CHUNKS, {**shared, **_L1}, window),
        "sampled": _count(catalog.CACHE_RESIDENCY, {**shared, **_stay("lifetime")}, window, "_count"),
        "again": _count(catalog.CACHE_RESIDENCY, {**shared, **_stay("evict_reuse_gap")}, window, "_count"),
        "lived": _mean("lifetime", shared, window),
        "gap": _mean("evict_reuse_gap", shared, window),
        "reuse": _mean("reuse_gap", shared, window),
        "asked": _count(catalog.CACHE_LOOKUP_TOKENS, {**shared, **_L1}, window),
        "found": _count(catalog.CACHE_HIT_TOKENS, {**shared, **_L1}, window),
        "behind": _count(catalog.CACHE_HIT_TOKENS, {**shared, Label.TIER: Tier.L2}, window),
        "used": aggregate("max", selector(catalog.CACHE_USED_RATIO, {**shared, **_L1}), _EACH),
        "capacity": _capacity(shared),
    }
    told = " or ".join(named(expression, Label.QUANTITY, name) for name, expression in parts.items())
    judged = worst(MOST, f"{parts['evicted']} or 0 * {parts['capacity']} or 0 * {parts['used']}")
    text = (
        f"Of each L1 over {window}: chunks evicted; of sampled ones how many, how long they lived, how many were asked for again, "
        "and how long after; tokens asked for, found, and found in L2 instead; how full it is."
    )
    expr = f"({told}) and on ({', '.join([*KEPT, *_EACH])}) {judged}"
    return Query(expr, "", (*_EACH, Label.QUANTITY), text)


def places(where: Where = EVERYWHERE) -> Query:
    """How many L1s there are; `evidence` has the first of them."""
    shared = {**loosely(where, Label.MODEL_NAME), **_L1}
    told = (
        selector(family, shared)
        for family in (catalog.CACHE_CAPACITY_BYTES, catalog.CACHE_USED_RATIO, catalog.CACHE_EVICTED_CHUNKS)
    )
    each = aggregate("max", " or ".join(told), _EACH)
    return Query(
        aggregate("count", each, ()), "", (), "L1s that tell anything of themselves: LMCache's servers, and engines that have one."
    )


def _count(family: Family, where: Where, window: str, part: str = "") -> str:
    return total(f"increase({selector(family, where, part, window)})", _EACH)


def _mean(event: str, where: Where, window: str) -> str:
    narrowed = {**where, **_stay(event)}
    return ratio(*(rate(catalog.CACHE_RESIDENCY, _EACH, narrowed, window, part) for part in ("_sum", "_count")))


def _capacity(where: Where) -> str:
    return total(selector(catalog.CACHE_CAPACITY_BYTES, {**where, **_L1}), _EACH)


def _stay(event: str) -> Where:
    return {**_L1, Label.EVENT: event}
