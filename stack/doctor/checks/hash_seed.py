"""Python's hash seed."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, grouped, listed, passed, unknown, unread
from stack.doctor.facts import Engine, Facts

VARIABLE = "PYTHONHASHSEED"
_UNSET = "not set"


@check(
    Group.ROUTING,
    "PYTHONHASHSEED is set, and equal on all engines",
    why="It seeds the first block's hash, and LMCache's keys: without one seed for all, equal prompts have unequal names.",
    fix="Set PYTHONHASHSEED=0 in the environment of every engine and cache server, and restart them.",
)
def look(facts: Facts) -> Finding:
    if not facts.engines:
        return unknown("no engine is listed")
    seeds = grouped(facts.engines, _seed)
    silent = seeds.pop(None, [])
    if len(seeds) > 1:
        return failed("; ".join(f"{seed} on {listed(where)}" for seed, where in sorted(seeds.items(), key=str)))
    if bad := [engine for seed in (_UNSET, "random") for engine in seeds.get(seed, [])]:
        return failed(f"not set, or random, on {listed(bad)}")
    if silent:
        return unread(silent, "the environment")
    return passed(f"{next(iter(seeds))} on all")


def _seed(engine: Engine) -> str | None:
    return None if engine.process is None else engine.process.variable(VARIABLE, unset=_UNSET)
