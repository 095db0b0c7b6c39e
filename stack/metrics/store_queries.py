"""The questions about L2: the store, what LMCache believes of it, and HyperPod's tiered storage."""

from __future__ import annotations

from stack.metrics import catalog
from stack.metrics.family import Family, Label
from stack.metrics.promql import EVERYWHERE, Where, aggregate, rate, ratio, selector, total
from stack.metrics.queries import WINDOW, Query

_STORE = (Label.REPLICA,)
_MODEL = (Label.MODEL_NAME, Label.REPLICA)


def kv_keys(where: Where = EVERYWHERE) -> Query:
    text = "Keys with a model's KV in the store, estimated from a sample."
    return Query(total(selector(catalog.STORE_KV_KEYS, where), _MODEL), "keys", _MODEL, text)


def kv_bytes(where: Where = EVERYWHERE) -> Query:
    text = "Memory of those keys, estimated from a sample."
    return Query(total(selector(catalog.STORE_KV_BYTES, where), _MODEL), "bytes", _MODEL, text)


def keys(where: Where = EVERYWHERE) -> Query:
    return Query(total(selector(catalog.STORE_KEYS, where), _STORE), "keys", _STORE, "Keys of whatever kind in the store.")


def sampled_keys(where: Where = EVERYWHERE) -> Query:
    text = "Keys that the estimates by model rest on."
    return Query(total(selector(catalog.STORE_SAMPLED_KEYS, where), _STORE), "keys", _STORE, text)


def found_ratio(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    hits, misses = (rate(family, _STORE, where, window) for family in (catalog.STORE_HITS, catalog.STORE_MISSES))
    text = "Keys the store found, of those commands looked up, whoever asked."
    return Query(ratio(hits, f"({hits} + {misses})"), "ratio", _STORE, text)


def expired_keys(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Keys whose time to live ran out."
    return Query(rate(catalog.STORE_EXPIRED_KEYS, _STORE, where, window), "keys/s", _STORE, text)


def ping(where: Where = EVERYWHERE) -> Query:
    return _worst("max", catalog.STORE_PING, where, "seconds", "How long one PING took.")


def clients(where: Where = EVERYWHERE) -> Query:
    return _worst("max", catalog.STORE_CLIENTS, where, "connections", "Connections to the store.")


def persistence(where: Where = EVERYWHERE) -> Query:
    return _worst("min", catalog.STORE_PERSISTENCE_OK, where, "", "0 when a snapshot or an append failed.")


def replica_link(where: Where = EVERYWHERE) -> Query:
    return _worst("min", catalog.STORE_REPLICA_LINK_UP, where, "", "0 while a replica is not linked to its primary.")


def cluster(where: Where = EVERYWHERE) -> Query:
    return _worst("min", catalog.STORE_CLUSTER_OK, where, "", "0 while the store's cluster does not serve.")


def policies(where: Where = EVERYWHERE) -> Query:
    by = (Label.REPLICA, Label.POLICY)
    text = "What the store does when it is full: all but noeviction drop keys, unknown to LMCache."
    return Query(aggregate("max", selector(catalog.STORE_POLICY, where), by), "", by, text)


def not_found(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    narrowed = {**where, Label.TIER: "l2", Label.REASON: "not_found"}
    text = "Chunks that LMCache believed to be in L2 and did not find when it loaded them."
    return Query(rate(catalog.CACHE_LOAD_FAILURES, _STORE, narrowed, window), "chunks/s", _STORE, text)


def believed_bytes(where: Where = EVERYWHERE) -> Query:
    narrowed = {**where, Label.TIER: "l2"}
    text = "Bytes that each LMCache believes to have in L2."
    return Query(total(selector(catalog.CACHE_BELIEVED_BYTES, narrowed), _STORE), "bytes", _STORE, text)


def address_states(where: Where = EVERYWHERE) -> Query:
    by = (Label.REPLICA, Label.STATE)
    text = "How the L2 that each LMCache uses stands to the one it should use."
    return Query(aggregate("max", selector(catalog.CACHE_L2_ADDRESS_STATE, where), by), "", by, text)


def tier_daemon(where: Where = EVERYWHERE) -> Query:
    by = (Label.INSTANCE,)
    text = "1 where HyperPod's tiered storage answers on the exporter's node."
    return Query(aggregate("min", selector(catalog.TIER_DAEMON_REACHABLE, where), by), "", by, text)


def tier_daemon_memory(where: Where = EVERYWHERE) -> Query:
    by = (Label.INSTANCE,)
    text = "1 where the memory it shares with engines is there."
    return Query(aggregate("min", selector(catalog.TIER_DAEMON_SHARED_MEMORY_PRESENT, where), by), "", by, text)


def _worst(how: str, family: Family, where: Where, unit: str, text: str) -> Query:
    return Query(aggregate(how, selector(family, where), _STORE), unit, _STORE, text)
