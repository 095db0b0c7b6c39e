"""An LMCache that is documented to work with these engines."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, listed, passed, unknown
from stack.doctor.facts import Engine, Facts
from stack.engines.lmcache_pairs import FIRST_LMCACHE, FIRST_VLLM, SINCE_LMCACHE, SINCE_VLLM, documented
from stack.engines.versions import Version, text, version


@check(
    Group.TIERS,
    "LMCache and vLLM are a pair that is documented",
    why="A pair that does not fit routes by turns instead of by cache, or loads nothing, and at most a debug line tells.",
    fix=f"Known are LMCache {text(SINCE_LMCACHE)} or later with vLLM {text(SINCE_VLLM)} or later, and "
    f"LMCache {text(FIRST_LMCACHE)} with vLLM {text(FIRST_VLLM)}.",
)
def look(facts: Facts) -> Finding:
    server = facts.cache_server
    if server is None:
        return unknown("no LMCache server given: --lmcache URL names its HTTP port")
    told = version(server.version)
    if told is None:
        return unknown("GET /lmc_version of LMCache tells nothing")
    if not facts.engines:
        return unknown("no engine is listed")
    if silent := [engine for engine in facts.engines if version(engine.version) is None]:
        return unknown(f"version not told by {listed(silent)}: GET /version must answer")
    if others := [engine for engine in facts.engines if not _fits(engine, told)]:
        return unknown(f"nobody documents LMCache {server.version} with vLLM {others[0].version} ({listed(others)})")
    return passed(f"LMCache {server.version} with vLLM {', '.join(sorted({str(engine.version) for engine in facts.engines}))}")


def _fits(engine: Engine, lmcache: Version) -> bool:
    told = version(engine.version)
    return told is not None and documented(told, lmcache)
