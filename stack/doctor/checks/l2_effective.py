"""The L2 that LMCache really uses."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, passed, unknown
from stack.doctor.facts import Facts
from stack.engines.lmcache_l2 import L2State, state


@check(
    Group.TIERS,
    "The L2 in effect is the store that was meant",
    why="An operator may put another L2 in place of the configured one: your store stays empty while LMCache fills elsewhere.",
    fix="Compare the server's arguments (--l2-adapter) and the LMCACHE_* variables in its pod with what you configured.",
)
def look(facts: Facts) -> Finding:
    if facts.store is None:
        return unknown("no store is given: --store URL names the one that was meant")
    server = facts.cache_server
    if server is None or server.l2 is None:
        return unknown("no configuration of an LMCache server: --lmcache URL names its HTTP port")
    meant, used = facts.store.address.shown(), ", ".join(each.shown() for each in server.l2)
    match state(server.l2, facts.store.address):
        case L2State.EQUAL:
            return passed(f"LMCache uses {used}")
        case L2State.ABSENT:
            return failed(f"LMCache uses none, meant is {meant}")
        case _:
            return failed(f"LMCache uses {used}, meant is {meant}")
