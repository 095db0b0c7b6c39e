"""L2 from both sides: the stores by their own word, what LMCache believes of them, and whether it uses the one meant for it."""

from __future__ import annotations

from stack.metrics import catalog, store_queries
from stack.metrics.family import Family, Label
from stack.metrics.promql import EVERYWHERE, KEPT, Pattern, Where, aggregate, named, rate, ratio, selector, total, worst
from stack.metrics.queries import WINDOW, Query
from stack.model.tier import Tier

MOST = 12
"""So many LMCaches are named."""
_L2 = {Label.TIER: Tier.L2}
_EACH = (Label.REPLICA, Label.QUANTITY)
_GAUGES: dict[str, tuple[str, Family]] = {
    "keys": ("sum", catalog.STORE_KEYS),
    "sampled": ("sum", catalog.STORE_SAMPLED_KEYS),
    "kv_keys": ("sum", catalog.STORE_KV_KEYS),
    "kv_bytes": ("sum", catalog.STORE_KV_BYTES),
    "ping": ("max", catalog.STORE_PING),
    "clients": ("max", catalog.STORE_CLIENTS),
    "uptime": ("min", catalog.STORE_UPTIME),
    "persists": ("min", catalog.STORE_PERSISTENCE_OK),
    "linked": ("min", catalog.STORE_REPLICA_LINK_UP),
    "cluster": ("min", catalog.STORE_CLUSTER_OK),
}
_TIERED = {"used": catalog.CACHE_USED_BYTES, "maxmemory": catalog.CACHE_CAPACITY_BYTES, "full": catalog.CACHE_USED_RATIO}
_RATES = {"evicted": catalog.CACHE_EVICTED_KEYS, "expired": catalog.STORE_EXPIRED_KEYS}


def stores(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """One series a store and `quantity`: bytes, keys, seconds, keys a second, and 0 or 1 for what is well."""
    one = (Label.REPLICA,)
    told = {name: aggregate(how, selector(family, where), one) for name, (how, family) in _GAUGES.items()}
    told |= {name: _stores(aggregate("max", selector(family, {**where, **_L2}), one), where) for name, family in _TIERED.items()}
    told |= {name: rate(family, one, where, window) for name, family in _RATES.items()}
    expr = " or ".join(named(expression, Label.QUANTITY, name) for name, expression in told.items())
    return Query(expr, "", _EACH, "What each store says of itself, INFO above all; a store of a cluster is one node.")


def dropped(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    each = {name: rate(family, (Label.REPLICA,), where, window) for name, family in _RATES.items()}
    expr = " or ".join(named(expression, Label.QUANTITY, name) for name, expression in each.items())
    text = "Keys that the store dropped by itself: evicted for want of memory, or expired. LMCache learns of neither."
    return Query(expr, "keys/s", _EACH, text)


def bytes_of_both(where: Where = EVERYWHERE) -> Query:
    """All stores against all LMCaches."""
    sides = {
        "believed by LMCache": selector(catalog.CACHE_BELIEVED_BYTES, {**where, **_L2}),
        "KV in the store": selector(catalog.STORE_KV_BYTES, where),
        "store's memory": _stores(selector(catalog.CACHE_USED_BYTES, {**where, **_L2}), where),
        "maxmemory": _stores(selector(catalog.CACHE_CAPACITY_BYTES, {**where, **_L2}), where),
    }
    expr = " or ".join(named(total(expression, ()), Label.QUANTITY, name) for name, expression in sides.items())
    text = (
        "What LMCache believes to have in L2 beside what the stores hold. Servers that share a store may count one chunk twice, "
        "and the store's KV is estimated from a sample of its keys."
    )
    return Query(expr, "bytes", (Label.QUANTITY,), text)


def held_of_believed(where: Where = EVERYWHERE) -> Query:
    believed = total(selector(catalog.CACHE_BELIEVED_BYTES, {**where, **_L2}), ())
    text = "KV in the stores, of what LMCache believes to have there: clearly below 1 they dropped some behind its back."
    return Query(ratio(total(selector(catalog.STORE_KV_BYTES, where), ()), believed), "ratio", (), text)


def believers(where: Where = EVERYWHERE) -> Query:
    believed = store_queries.believed_bytes(where)
    return Query(worst(MOST, believed.expr), believed.unit, believed.by, believed.help)


def addresses(where: Where = EVERYWHERE) -> Query:
    by = (Label.STATE,)
    each = aggregate("max", selector(catalog.CACHE_L2_ADDRESS_STATE, where), (Label.REPLICA, Label.STATE))
    text = "LMCaches by how the L2 they say they use stands to the one they were meant to use (--l2.expected-url)."
    return Query(aggregate("count", f"{each} == 1", by), "", by, text)


def strayed(where: Where = EVERYWHERE) -> Query:
    narrowed = {**where, Label.STATE: Pattern("different|absent|unknown")}
    states = store_queries.address_states(narrowed)
    return Query(worst(MOST, f"{states.expr} == 1"), states.unit, states.by, "LMCaches that do not use the L2 they were meant to.")


def daemons(where: Where = EVERYWHERE) -> Query:
    """`quantity` is nodes, answering or memory: nodes with the collector, whose daemon answers, whose shared memory is there."""
    answers = selector(catalog.TIER_DAEMON_REACHABLE, where)
    parts = {
        "nodes": aggregate("count", answers, ()),
        "answering": total(answers, ()),
        "memory": total(selector(catalog.TIER_DAEMON_SHARED_MEMORY_PRESENT, where), ()),
    }
    expr = " or ".join(named(expression, Label.QUANTITY, name) for name, expression in parts.items())
    return Query(
        expr, "nodes", (Label.QUANTITY,), "Nodes with HyperPod's tiered storage: looked at, answering, with its shared memory."
    )


def _stores(expression: str, where: Where) -> str:
    """Only of stores: engines that offload have an l2 of their own."""
    return f"{expression} and on ({', '.join([*KEPT, Label.REPLICA])}) {selector(catalog.STORE_UPTIME, where)}"
