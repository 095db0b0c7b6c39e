"""Questions about what is not and why: tokens without a source, engines and servers that do not tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from stack.metrics import catalog, routing_queries
from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, KEPT, Pattern, Where, aggregate, rate, selector, total, worst
from stack.metrics.queries import WINDOW, Query
from stack.model.tier import Pool, Source

MOST = 12
"""So many engines, servers or targets are named; a page has no use for a thousand."""
_SAME = f"on ({', '.join([*KEPT, Label.REPLICA])})"


def unexplained(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """With the engine's version, which is often the reason."""
    by = (Label.REPLICA, Label.VERSION)
    narrowed = {Label.POOL: Pool.DECODE, **where, Label.SOURCE: Source.UNKNOWN}
    tokens = rate(catalog.PROMPT_TOKENS, (Label.REPLICA,), narrowed, window)
    versions = aggregate("max", selector(catalog.TARGET_INFO, where), by)
    expr = worst(MOST, f"({tokens} * {_SAME} group_left (version) {versions}) > 0")
    return Query(expr, "tokens/s", by, "Engines with the most prompt tokens of which nobody says where their KV came from.")


def untold_engines(where: Where = EVERYWHERE) -> Query:
    by = (Label.REPLICA, Label.VERSION)
    told = total(selector(catalog.PROMPT_TOKENS, where), (Label.REPLICA,))
    listed = aggregate("max", selector(catalog.TARGET_INFO, where), by)
    text = "Engines that are listed and tell no prompt tokens: they are in no sum. Without a version: cannot be read."
    return Query(worst(MOST, f"{listed} unless {_SAME} {told}"), "", by, text)


def unread(where: Where = EVERYWHERE, collectors: Iterable[str] = (".*",)) -> Query:
    failing = routing_queries.collectors_failing({**where, Label.COLLECTOR: Pattern("|".join(collectors))})
    return replace(failing, expr=worst(MOST, failing.expr))


def states(where: Where = EVERYWHERE, quantities: Iterable[str] = (".*",)) -> Query:
    """Of `quantities` those that not all targets tell under their newest name, by state."""
    asked, lacking = Pattern("|".join(quantities)), Pattern("renamed|hidden|absent|stale|reset")
    return routing_queries.quantity_states({**where, Label.QUANTITY: asked, Label.STATE: lacking})


def modes(where: Where = EVERYWHERE) -> Query:
    by = (Label.MODE,)
    expr = aggregate("count", selector(catalog.CACHE_SERVER_INFO, where), by)
    return Query(expr, "", by, "LMCaches that are read, by where they work; silent ones have told nothing yet, which is no 0.")
