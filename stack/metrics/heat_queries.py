"""Each engine's cache over time, for the worst of them, and how all of them spread: never one question an engine."""

from __future__ import annotations

from stack.metrics import catalog
from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, KEPT, Pattern, Where, aggregate, named, ratio, selector, total
from stack.metrics.queries import WINDOW, Query
from stack.model.tier import Source, Tier

MOST = 24
"""So many engines are drawn one by one."""
IDLE = "idle"
_EACH = (Label.POOL, Label.REPLICA)
_QUANTILES = {"p10": 0.1, "p50": 0.5, "p90": 0.9}
_CACHED = Pattern("|".join((Source.ENGINE, Source.L1, Source.L2)))
_OWN = Pattern("|".join(source for source in Source if source is not Source.PEER))
_SHARE = "Prompt tokens whose KV an engine found in its own cache, L1 or L2, of those that it did not get from a peer."
_USED = "Used share of each engine's own KV cache. It is full of old KV as a rule; what running requests hold decides."


def worst_shares(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """The engines with the lowest share at the end of what is looked at. `state` is idle where an engine got no prompt."""
    own = _tokens(_OWN, where, window)
    drawn = f"({_share(where, window)} or {named(f'({own} == 0)', Label.STATE, IDLE)})"
    expr = f"{drawn} and {_SAME} bottomk({MOST}, {_share(where, window, _END)})"
    return Query(expr, "ratio", (*_EACH, Label.STATE), f"{_SHARE} The {MOST} engines with the lowest now.")


def share_spread(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = f"{_SHARE} A tenth of the engines is below p10."
    return Query(_spread(_share(where, window)), "ratio", (Label.POOL, Label.QUANTILE), text)


def fullest(where: Where = EVERYWHERE) -> Query:
    used = _used(where)
    expr = f"{used} and {_SAME} topk({MOST}, {_used(where, _END)})"
    return Query(expr, "ratio", _EACH, f"{_USED} The {MOST} fullest now.")


def used_spread(where: Where = EVERYWHERE) -> Query:
    return Query(_spread(_used(where)), "ratio", (Label.POOL, Label.QUANTILE), f"{_USED} A tenth of the engines is above p90.")


def counted(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """`quantity` is listed, share or used: how many engines there are, and of how many each is known now."""
    each = {
        "listed": aggregate("max", selector(catalog.TARGET_INFO, where), _EACH),
        "share": _share(where, window),
        "used": _used(where),
    }
    expr = " or ".join(named(aggregate("count", expression, ()), Label.QUANTITY, name) for name, expression in each.items())
    return Query(expr, "engines", (Label.QUANTITY,), "Engines that are listed, and those that tell.")


_SAME = f"on ({', '.join([*KEPT, *_EACH])})"
_END = " @ end()"


def _share(where: Where, window: str, at: str = "") -> str:
    return ratio(_tokens(_CACHED, where, window, at), _tokens(_OWN, where, window, at))


def _tokens(sources: Pattern, where: Where, window: str, at: str = "") -> str:
    """At the end of the range for all of its points, where `at` says so: or each point would have its own worst engines."""
    return total(f"rate({selector(catalog.PROMPT_TOKENS, {**where, Label.SOURCE: sources}, window=window)}{at})", _EACH)


def _used(where: Where, at: str = "") -> str:
    return aggregate("max", selector(catalog.CACHE_USED_RATIO, {**where, Label.TIER: Tier.ENGINE}) + at, _EACH)


def _spread(expression: str) -> str:
    kept = ", ".join([*KEPT, Label.POOL])
    parts = (named(f"quantile by ({kept}) ({q}, {expression})", Label.QUANTILE, name) for name, q in _QUANTILES.items())
    return " or ".join(parts)
