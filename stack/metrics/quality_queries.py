"""The questions about how good the router's choices were, and what other strategies would have been worth."""

from __future__ import annotations

from stack.metrics import catalog
from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, KEPT, Where, at_most, named, rate, ratio, selector, total
from stack.metrics.queries import WINDOW, Query

RIGHT_TOKENS = 64.0
"""A prediction within so many tokens came true: engines count whole blocks."""
MISSING_TOKENS = 1024.0
"""So many tokens fewer than predicted are no rounding: the alert KvdeckIndexWrong counts them, too."""
RIGHT_SECONDS = 0.1
"""A first token that came within so much of its prediction came as predicted."""
FALLBACKS_SHARE = 0.1
"""The alert KvdeckRoutingFallbacks fires beyond it."""
RIGHT, MISSING, LATE = "as predicted", "missing", "late"


def regret(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.STRATEGY,)
    tokens, requests = (rate(catalog.ROUTER_REGRET, by, where, window, part) for part in ("_sum", "_count"))
    text = (
        "Prompt tokens that the best candidate was believed to have cached beyond the chosen engine, mean of a request. "
        "Load may have been the better reason."
    )
    return Query(ratio(tokens, requests), "tokens", by, text)


def index_error(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by, family = (Label.STRATEGY,), catalog.ROUTER_INDEX_ERROR
    all_of_them = rate(family, by, where, window, "_count")
    right, below, above = (at_most(bound, family, by, where, window) for bound in (RIGHT_TOKENS, -RIGHT_TOKENS, MISSING_TOKENS))
    parts = {RIGHT: f"({right} - {below})", MISSING: f"({all_of_them} - {above})"}
    expr = " or ".join(named(ratio(part, all_of_them), Label.STATE, name) for name, part in parts.items())
    text = (
        f"Share of requests whose engine had as many cached prompt tokens as predicted (within {RIGHT_TOKENS:.0f}), and of those "
        f"where more than {MISSING_TOKENS:,.0f} of them were missing."
    )
    return Query(expr, "ratio", (*by, Label.STATE), text)


def ttft_error(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by, family = (Label.STRATEGY,), catalog.ROUTER_TTFT_ERROR
    all_of_them = rate(family, by, where, window, "_count")
    above, below = (at_most(bound, family, by, where, window) for bound in (RIGHT_SECONDS, -RIGHT_SECONDS))
    parts = {RIGHT: f"({above} - {below})", LATE: below}
    expr = " or ".join(named(ratio(part, all_of_them), Label.STATE, name) for name, part in parts.items())
    text = (
        f"Share of requests whose engine gave the first token when it was predicted (within {RIGHT_SECONDS * 1000:.0f} ms), "
        "and of those where it came later than that."
    )
    return Query(expr, "ratio", (*by, Label.STATE), text)


def agreement(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by, family = (Label.STRATEGY,), catalog.ROUTER_SHADOW_DECISIONS
    all_of_them = rate(family, by, where, window)
    agreed = rate(family, by, {Label.STATE: "agrees", **where}, window)
    text = "Share of sampled requests on which another strategy would have chosen the same engine to compute the prompt."
    return Query(ratio(f"({agreed} or 0 * {all_of_them})", all_of_them), "ratio", by, text)


def fallback_shares(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.REASON,)
    failed, decided = rate(catalog.ROUTER_FALLBACKS, by, where, window), rate(catalog.ROUTER_DECISIONS, (), where, window)
    fleets = ", ".join(KEPT)
    expr = f"{failed} / on ({fleets}) group_left () ({decided} > 0) or on ({fleets}) 0 * ({decided} > 0)"
    text = (
        "Share of requests that were not served the way the configuration asks for, by reason; 0 without one where there are none."
    )
    return Query(expr, "ratio", by, text)


def records_dropped(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    expr = total(f"increase({selector(catalog.ROUTER_RECORDS_DROPPED, where, window=window)})", ())
    return Query(expr, "records", (), "Decision records that routers dropped because control did not take them in time.")


# Requests that another gateway carries out, and an observing router decides along


def observed(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.STRATEGY, Label.PATH)
    text = "Mirrored requests that were decided along, by the strategy in force and the path they would have taken."
    return Query(rate(catalog.ROUTER_OBSERVED_REQUESTS, by, where, window), "requests/s", by, text)


def observed_hits(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.STRATEGY,)
    cached = rate(catalog.ROUTER_OBSERVED_CACHED_TOKENS, by, where, window)
    prompts = rate(catalog.ROUTER_OBSERVED_PROMPT_TOKENS, (), where, window)
    text = "Share of mirrored prompts' tokens believed to be cached where each strategy would have sent them."
    return Query(f"{cached} / on ({', '.join(KEPT)}) group_left () ({prompts} > 0)", "ratio", by, text)
