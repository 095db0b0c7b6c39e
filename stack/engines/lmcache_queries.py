"""What LMCache itself says, asked of Prometheus without kvdeck's exporter: of a server, or else of an LMCache inside an engine."""

from __future__ import annotations

from stack.engines import lmcache_quantities as lq
from stack.engines.quantities import Quantity
from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, Where, aggregate, matchers, ratio, total
from stack.metrics.queries import Query

WINDOW = "5m"
_SERVER = (Label.INSTANCE,)


def hit_ratio(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Tokens found in L1 or L2, of those LMCache was asked for, also inside an engine. Found is not loaded."
    found, asked = _rate(where, window, lq.FOUND, lq.INSIDE_FOUND), _rate(where, window, lq.LOOKED_UP, lq.INSIDE_LOOKED_UP)
    return Query(ratio(f"({found})", f"({asked})"), "ratio", _SERVER, text)


def l1_hit_ratio(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Tokens found in L1, of those LMCache was asked for. Found is not loaded."
    return Query(ratio(_rate(where, window, lq.FOUND_L1), _rate(where, window, lq.LOOKED_UP)), "ratio", _SERVER, text)


def l2_hit_ratio(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Tokens found in L2 only, of all those LMCache was asked for. Found is not loaded."
    return Query(ratio(_rate(where, window, lq.FOUND_L2), _rate(where, window, lq.LOOKED_UP)), "ratio", _SERVER, text)


def l1_used_ratio(where: Where = EVERYWHERE) -> Query:
    expr = aggregate("max", _selector(lq.L1_RATIO, where), _SERVER)
    return Query(expr, "ratio", _SERVER, "Used share of L1, as LMCache reports it.")


def l1_used_bytes(where: Where = EVERYWHERE) -> Query:
    expr = " or ".join(total(_selector(quantity, where), _SERVER) for quantity in (lq.L1_BYTES, lq.INSIDE_L1_BYTES))
    return Query(expr, "bytes", _SERVER, "Bytes that L1 holds, as LMCache reports them.")


def _rate(where: Where, window: str, *either: Quantity) -> str:
    """Of the first of these quantities that an instance tells."""
    return " or ".join(total(f"rate({_selector(quantity, where)}[{window}])", _SERVER) for quantity in either)


def _selector(quantity: Quantity, where: Where) -> str:
    return f"{quantity.aliases[0].name}{{{matchers(where)}}}"
