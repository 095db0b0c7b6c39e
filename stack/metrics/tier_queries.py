"""Questions about the tiers side by side: how full, what they evict in which unit, how long KV stays."""

from __future__ import annotations

from stack.metrics import catalog, queries
from stack.metrics.family import Family, Label
from stack.metrics.promql import EVERYWHERE, Where, aggregate, known, loosely, named, rate, selector, total
from stack.metrics.queries import WINDOW, Query
from stack.model.tier import Tier

STAY_WINDOW = "30m"
"""Of how long KV stays there is a sample only where some is evicted or used again: shorter windows have few."""
USED, CAPACITY = "used", "capacity"
_MEASURED = (Label.TIER, Label.QUANTITY)


def fullness(where: Where = EVERYWHERE) -> Query:
    """Of all places of a tier (engines, servers, stores) the fullest and the one in the middle."""
    used = selector(catalog.CACHE_USED_RATIO, _shared(where))
    by = (Label.TIER, Label.QUANTILE)
    middle = f"quantile by (cluster, namespace, tier) (0.5, {used})"
    expr = f"{named(aggregate('max', used, (Label.TIER,)), Label.QUANTILE, 'max')} or {named(middle, Label.QUANTILE, 'p50')}"
    text = (
        "Used share of each tier, as its owner reports it: max is the fullest engine, server or store of the tier, p50 the middle."
    )
    return Query(expr, "ratio", by, text)


def held(where: Where = EVERYWHERE) -> Query:
    """`quantity` is used or capacity."""
    parts = {USED: catalog.CACHE_USED_BYTES, CAPACITY: catalog.CACHE_CAPACITY_BYTES}
    each = [named(total(selector(family, _shared(where)), (Label.TIER,)), Label.QUANTITY, name) for name, family in parts.items()]
    text = (
        "Bytes that all places of a tier hold and can hold. Absent where no place tells: engines tell bytes only where given some."
    )
    return Query(" or ".join(each), "bytes", _MEASURED, text)


def evictions(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """`quantity` is the unit. Units differ from tier to tier: nothing here may be added up."""

    def each(family: Family, by: tuple[Label, ...]) -> str:
        return named(rate(family, by, known(_shared(where), family), window), Label.QUANTITY, family.unit)

    blocks = named(each(catalog.CACHE_EVICTED_BLOCKS, ()), Label.TIER, Tier.ENGINE)
    rest = (each(family, (Label.TIER,)) for family in (catalog.CACHE_EVICTED_CHUNKS, catalog.CACHE_EVICTED_KEYS))
    text = "What left a tier: engines' blocks (by their KV events), LMCache's chunks (one a rank), the store's keys."
    return Query(" or ".join([blocks, *rest]), "1/s", _MEASURED, text)


def stays(where: Where = EVERYWHERE, window: str = STAY_WINDOW) -> Query:
    """Medians by tier and event: lifetime, idle_before_evict, reuse_gap, evict_reuse_gap."""
    return queries.residency(0.5, _shared(where), window)


def _shared(where: Where) -> Where:
    return loosely(where, Label.MODEL_NAME)
