"""How long KV stays in an engine."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, listed, passed, unknown
from stack.doctor.facts import Engine, Facts
from stack.engines import vllm_quantities as vq


@check(
    Group.WATCHING,
    "Engines tell how long KV stays in their cache",
    why="Without it nobody sees that a cache evicts what is asked for again moments later.",
    fix="Start engines with --kv-cache-metrics (sampled, cheap).",
)
def look(facts: Facts) -> Finding:
    silent = [engine for engine in facts.engines if not _tells(engine)]
    if silent:
        return unknown(f"residency not told by {listed(silent)}: --kv-cache-metrics shows it, once blocks are evicted")
    return passed("told by all") if facts.engines else unknown("no engine is listed")


def _tells(engine: Engine) -> bool:
    return engine.exposed is not None and engine.exposed.histogram(vq.BLOCK_LIFETIME) is not None
