"""Each engine's cache: which are the worst now, the course of those few, and how all spread: never one question an engine."""

from __future__ import annotations

from stack.metrics import catalog
from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, KEPT, Pattern, Where, aggregate, named, rate, ratio, selector, worst
from stack.metrics.queries import WINDOW, Query
from stack.model.tier import Source, Tier

MOST = 24
"""So many engines are drawn one by one."""
IDLE = "idle"
_EACH = (Label.POOL, Label.REPLICA)
_CACHED = Pattern("|".join((Source.ENGINE, Source.L1, Source.L2)))
_OWN = Pattern("|".join(source for source in Source if source is not Source.PEER))
_SHARE = "Prompt tokens whose KV an engine found in its own cache, L1 or L2, of those that it did not get from a peer."
_USED = "Used share of each engine's own KV cache. It is full of old KV as a rule; what running requests hold decides."


def lowest_shares(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return Query(f"bottomk({MOST}, {_share(where, window)})", "ratio", _EACH, f"{_SHARE} The {MOST} engines with the lowest now.")


def shares(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """Of all engines of `where`, which should be few. `state` is idle where an engine got no prompt."""
    idle = named(f"({_tokens(_OWN, where, window)} == 0)", Label.STATE, IDLE)
    return Query(f"{_share(where, window)} or {idle}", "ratio", (*_EACH, Label.STATE), _SHARE)


def share_steps(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return Query(
        _steps(_share(where, window)), "engines", (Label.POOL, Label.QUANTITY), f"Engines by tenths of this share. {_SHARE}"
    )


def fullest(where: Where = EVERYWHERE) -> Query:
    return Query(worst(MOST, _used(where)), "ratio", _EACH, f"{_USED} The {MOST} fullest now.")


def used(where: Where = EVERYWHERE) -> Query:
    """Of all engines of `where`, which should be few."""
    return Query(_used(where), "ratio", _EACH, _USED)


def used_steps(where: Where = EVERYWHERE) -> Query:
    return Query(_steps(_used(where)), "engines", (Label.POOL, Label.QUANTITY), f"Engines by tenths of this share. {_USED}")


def counted(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """`quantity` is listed, share or used: how many engines there are, and of how many each is known now."""
    each = {
        "listed": aggregate("max", selector(catalog.TARGET_INFO, where), _EACH),
        "share": _share(where, window),
        "used": _used(where),
    }
    expr = " or ".join(named(aggregate("count", expression, ()), Label.QUANTITY, name) for name, expression in each.items())
    return Query(expr, "engines", (Label.QUANTITY,), "Engines that are listed, and those that tell.")


def _share(where: Where, window: str) -> str:
    return ratio(_tokens(_CACHED, where, window), _tokens(_OWN, where, window))


def _tokens(sources: Pattern, where: Where, window: str) -> str:
    return rate(catalog.PROMPT_TOKENS, _EACH, {**where, Label.SOURCE: sources}, window)


def _used(where: Where) -> str:
    return aggregate("max", selector(catalog.CACHE_USED_RATIO, {**where, Label.TIER: Tier.ENGINE}), _EACH)


def _steps(expression: str) -> str:
    """How many engines are in each tenth, told by where it begins. A ratio of 1 is in the last one."""
    tenths = f"clamp_max(floor(10 * {expression}), 9)"
    return f'count_values by ({", ".join([*KEPT, Label.POOL])}) ("{Label.QUANTITY}", {tenths})'
