"""Prefix caching."""

from __future__ import annotations

from stack.doctor.cache_config import setting
from stack.doctor.check import Finding, Group, check, failed, listed, passed, unknown
from stack.doctor.facts import Facts


@check(
    Group.ROUTING,
    "Prefix caching is on",
    why="With it off no prompt is ever found again, and there is nothing to route by.",
    fix="Take --no-enable-prefix-caching away; vLLM has it on by default for most models.",
)
def look(facts: Facts) -> Finding:
    told = [(engine, setting(engine, "enable_prefix_caching")) for engine in facts.engines]
    if off := [engine for engine, on in told if on == "False"]:
        return failed(f"off on {listed(off)}")
    if silent := [engine for engine, on in told if on != "True"]:
        return unknown(f"not told by {listed(silent)}: /metrics must show the cache configuration")
    return passed("on, on all") if told else unknown("no engine is listed")
