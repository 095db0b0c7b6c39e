"""The store behind L2."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, passed, unknown
from stack.doctor.facts import Facts

_REFUSES = "noeviction"
_FULL = 0.9


@check(
    Group.TIERS,
    "The store takes what L2 stores",
    why="A full store that may not evict refuses every further KV: L2 stays as it was, and what engines compute is lost with L1.",
    fix="Name the primary; set maxmemory-policy allkeys-lru (KV can be computed again), or give it more memory.",
)
def look(facts: Facts) -> Finding:
    store = facts.store
    if store is None:
        return unknown("no store is given: --store URL names it, such as redis://host:6379")
    if store.fault is not None:
        return failed(f"{store.address.shown()} does not answer: {store.fault}")
    if store.refuses is not None:
        return failed(f"{store.address.shown()} takes no writes: {store.refuses}")
    if store.policy is None or store.limit is None or store.used is None:
        return unknown(f"INFO of {store.address.shown()} lacks its memory or policy")
    if not store.limit:
        return passed(f"no limit of its own, {_mib(store.used)} used")
    told = f"{_mib(store.used)} of {_mib(store.limit)} used, {store.policy}"
    return failed(told) if store.policy == _REFUSES and store.used >= _FULL * store.limit else passed(told)


def _mib(count: int) -> str:
    return f"{count / 2**20:,.0f} MiB"
