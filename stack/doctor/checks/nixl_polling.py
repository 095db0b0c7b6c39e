"""NIXL's progress thread."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, listed, not_applicable, passed, unknown, unread
from stack.doctor.facts import Engine, Facts
from stack.engines import vllm_quantities as vq

# A thread that polls without a pause takes a whole core; all else of an idle engine a few hundredths.
_CORES = 0.7


@check(
    Group.DPD,
    "An idle engine with NIXL rests",
    why="NIXL's progress thread polls without a pause by default: a core an engine, taken from its neighbours on small nodes.",
    fix="Give NIXL's agent a pause (pthrDelay, in microseconds; no option of vLLM reaches it), or leave each engine a core for it.",
)
def look(facts: Facts) -> Finding:
    if not facts.engines:
        return unknown("no engine is listed")
    if silent := [engine for engine in facts.engines if engine.connectors is None]:
        return unread(silent, "the arguments")
    nixl = [engine for engine in facts.engines if _has_nixl(engine)]
    if not nixl:
        return not_applicable("no engine has NIXL")
    idle = [engine for engine in nixl if _idle(engine)]
    if polling := [engine for engine in idle if (_cores(engine) or 0.0) >= _CORES]:
        return failed("; ".join(f"{engine.name} is idle and keeps {_cores(engine):.1f} cores busy" for engine in polling[:4]))
    if busy := [engine for engine in nixl if engine not in idle or _cores(engine) is None]:
        return unknown(f"{listed(busy)} had requests to work on: ask again when there are none")
    return passed(f"{max(_cores(engine) or 0.0 for engine in idle):.2f} cores at most, on {len(idle)} idle engines")


def _has_nixl(engine: Engine) -> bool:
    return any("Nixl" in str(config.get("kv_connector")) for config in engine.connectors or [])


def _cores(engine: Engine) -> float | None:
    return engine.process.cores if engine.process else None


def _idle(engine: Engine) -> bool:
    exposed = engine.exposed
    return exposed is not None and [exposed.number(quantity) for quantity in (vq.RUNNING, vq.WAITING)] == [0.0, 0.0]
