"""What an LMCache multi-process server itself says, asked of Prometheus without kvdeck's exporter. Names are those of 0.5.6."""

from __future__ import annotations

from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, Where, aggregate, matchers, ratio, total
from stack.metrics.queries import Query

WINDOW = "5m"
_SERVER = (Label.INSTANCE,)
_ASKED = "lmcache_mp_lookup_requested_tokens_total"
_L1 = "lmcache_mp_lookup_hit_l1_tokens_total"
_L2 = "lmcache_mp_lookup_hit_l2_tokens_total"


def l1_hit_ratio(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Tokens found in L1, of those LMCache was asked for. Found is not loaded."
    return Query(ratio(_rate(_L1, where, window), _rate(_ASKED, where, window)), "ratio", _SERVER, text)


def l2_hit_ratio(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Tokens found in L2 only, of all those LMCache was asked for. Found is not loaded."
    return Query(ratio(_rate(_L2, where, window), _rate(_ASKED, where, window)), "ratio", _SERVER, text)


def l1_used_ratio(where: Where = EVERYWHERE) -> Query:
    expr = aggregate("max", f"lmcache_mp_l1_usage_ratio{{{matchers(where)}}}", _SERVER)
    return Query(expr, "ratio", _SERVER, "Used share of L1, as LMCache reports it.")


def l1_used_bytes(where: Where = EVERYWHERE) -> Query:
    expr = total(f"lmcache_mp_l1_memory_usage_bytes{{{matchers(where)}}}", _SERVER)
    return Query(expr, "bytes", _SERVER, "Bytes that L1 holds, as LMCache reports them.")


def _rate(name: str, where: Where, window: str) -> str:
    return total(f"rate({name}{{{matchers(where)}}}[{window}])", _SERVER)
