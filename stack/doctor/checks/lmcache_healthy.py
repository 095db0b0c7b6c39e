"""LMCache's own health."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, passed, unknown
from stack.doctor.facts import Facts


@check(
    Group.TIERS,
    "LMCache is healthy, and not degraded",
    why="A degraded LMCache answers and caches nothing; engines go on, more slowly, without a word.",
    fix="GET /status names the part; its log tells why. A restart registers the engines again.",
)
def look(facts: Facts) -> Finding:
    server = facts.cache_server
    if server is None:
        return unknown("no LMCache server given: --lmcache URL names its HTTP port")
    if server.status is None:
        return failed(f"GET /status: {server.fault}") if server.fault else unknown("GET /status tells nothing")
    ill = sorted(_ill("", server.status))
    if ill:
        return failed(f"not healthy: {', '.join(ill)}")
    if server.status.get("is_healthy") is not True:
        return unknown("GET /status says nothing of its health")
    return passed("every part says that it is healthy")


def _ill(path: str, part: object) -> list[str]:
    if isinstance(part, list):
        return [name for number, each in enumerate(part) for name in _ill(f"{path}[{number}]", each)]
    if not isinstance(part, dict):
        return []
    own = [path or "server"] if part.get("is_healthy") is False or part.get("thread_alive") is False else []
    return own + [name for key, each in part.items() for name in _ill(f"{path}.{key}" if path else str(key), each)]
