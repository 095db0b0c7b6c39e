"""The L2 that is in effect."""

from __future__ import annotations

from collections.abc import Mapping

from stack.doctor.check import Finding, Group, check, failed, passed, unknown
from stack.doctor.facts import Facts


@check(
    Group.TIERS,
    "An L2 is attached",
    why="An L2 that was configured and ignored (a stripped variable, an unknown backend) leaves L1 alone, and nothing says so.",
    fix="Compare the server's arguments (--l2-adapter) with GET /config; an operator may have dropped them.",
)
def look(facts: Facts) -> Finding:
    server = facts.cache_server
    if server is None or server.status is None:
        return unknown("no status of an LMCache server: --lmcache URL names its HTTP port")
    storage = server.status.get("storage_manager")
    count = storage.get("num_l2_adapters") if isinstance(storage, Mapping) else None
    if not isinstance(count, int):
        return unknown("GET /status does not say how many L2 adapters it has")
    return passed(f"{count} attached") if count else failed("none is attached: L1 is all there is")
