"""What is asked of LMCache by way of the exporter: loads beside hits, failures, what waits for L2, and counters in doubt."""

from __future__ import annotations

from stack.metrics import catalog
from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, KEPT, Where, aggregate, named, rate, selector, total, worst
from stack.metrics.queries import WINDOW, Query
from stack.model.tier import Tier

_REPLICA = (Label.REPLICA,)
_PLACE = (Label.REPLICA, Label.TIER)


def found_inside(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    found = rate(catalog.CACHE_HIT_TOKENS, _REPLICA, {**where, Label.TIER: "lmcache"}, window)
    return Query(found, "tokens/s", _REPLICA, "Tokens that LMCache inside an engine found.")


def loaded_inside(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Tokens that LMCache inside an engine loaded. Far below those it found, hits are of no use."
    return Query(rate(catalog.CACHE_LOADED_TOKENS, _REPLICA, where, window), "tokens/s", _REPLICA, text)


def loaded(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Chunks that LMCache's server loaded: from L2 to L1, and from L1 to engines where it moves the KV itself."
    return Query(rate(catalog.CACHE_LOADED_CHUNKS, _PLACE, where, window), "chunks/s", _PLACE, text)


def load_failures(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.TIER, Label.REASON)
    text = "Chunks that LMCache believed to have and could not load; not_found of l2 means that the store dropped them."
    return Query(rate(catalog.CACHE_LOAD_FAILURES, by, where, window), "chunks/s", by, text)


def allocation_failures(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.TIER, Label.REASON)
    return Query(
        rate(catalog.CACHE_ALLOCATION_FAILURES, by, where, window), "1/s", by, "KV that a tier had no room for, or did not take."
    )


def stores_outstanding(where: Where = EVERYWHERE) -> Query:
    """Counted since the server's start on both sides, so that the difference is what is under way or lost."""
    submitted, completed = (
        total(selector(family, where), _REPLICA)
        for family in (catalog.CACHE_L2_STORES_SUBMITTED, catalog.CACHE_L2_STORES_COMPLETED)
    )
    text = "Stores to L2 that were submitted and have not ended: backlog when it falls again, lost when it stays."
    return Query(f"{submitted} - {completed}", "", _REPLICA, text)


def doubtful(where: Where = EVERYWHERE) -> Query:
    by = (Label.REPLICA, Label.REASON)
    text = "1 where an LMCache lost events before it counted them: all its counters are too low."
    return Query(aggregate("max", selector(catalog.CACHE_COUNTERS_DOUBTFUL, where), by), "", by, text)


FOUND, LOADED = "found", "loaded"
MOST = 12
"""So many engines are named, those that lose most first."""


def found_and_loaded(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """Of all engines together; `quantity` is found or loaded."""
    by = (Label.QUANTITY,)
    loads = rate(catalog.CACHE_LOADED_TOKENS, (), where, window)
    expr = f"{named(total(_beyond(where, window), ()), by[0], FOUND)} or {named(loads, by[0], LOADED)}"
    text = "Tokens that LMCache inside engines found beyond what the engine itself held, and those that were really loaded."
    return Query(expr, "tokens/s", by, text)


def found_not_loaded(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """The engines that load least of what they find; `quantity` is found or loaded."""
    by = (Label.REPLICA, Label.QUANTITY)
    found, loads = _beyond(where, window), rate(catalog.CACHE_LOADED_TOKENS, _REPLICA, where, window)
    lost = worst(MOST, f"({found} - {loads}) > 0")
    expr = f"({named(found, by[1], FOUND)} or {named(loads, by[1], LOADED)}) and on ({', '.join([*KEPT, *_REPLICA])}) {lost}"
    text = "Engines whose LMCache finds tokens that the engine does not hold, and does not load them."
    return Query(expr, "tokens/s", by, text)


def chunks_found_and_loaded(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """Of all servers together; `quantity` is found or loaded."""
    families = {FOUND: catalog.CACHE_HIT_CHUNKS, LOADED: catalog.CACHE_LOADED_CHUNKS}
    by = (Label.TIER, Label.QUANTITY)
    expr = " or ".join(named(rate(family, by[:1], where, window), by[1], name) for name, family in families.items())
    text = (
        "Chunks that LMCache's servers found by tier, and loaded: from L2 to L1, and from L1 to engines where LMCache itself moves "
        "the KV. What an engine holds itself is found, too, and not loaded."
    )
    return Query(expr, "chunks/s", by, text)


def early_exits(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.REASON,)
    text = "Look-ups that LMCache ended without looking: neither asked for nor found."
    return Query(rate(catalog.CACHE_EARLY_EXITS, by, where, window), "requests/s", by, text)


def _beyond(where: Where, window: str) -> str:
    """LMCache looks whole prompts up, also what the engine holds: that needs no load."""
    tiers = ("lmcache", Tier.ENGINE)
    found, held = (rate(catalog.CACHE_HIT_TOKENS, _REPLICA, {**where, Label.TIER: tier}, window) for tier in tiers)
    return f"clamp_min({found} - {held}, 0)"
