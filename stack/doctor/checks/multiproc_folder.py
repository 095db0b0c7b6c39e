"""LMCache's metrics inside an engine."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, listed, not_applicable, passed, unknown, unread
from stack.doctor.facts import Engine, Facts

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_UNSET = ""
_IN_PROCESS = frozenset({"LMCacheConnectorV1", "LMCacheConnectorV1Dynamic"})


@check(
    Group.WATCHING,
    "LMCache inside engines shows its metrics",
    why="An in-process LMCache adds its series to the engine's only when both write them to one folder.",
    fix="Set PROMETHEUS_MULTIPROC_DIR to a folder of each engine's own, emptied before each start.",
)
def look(facts: Facts) -> Finding:
    if not facts.engines:
        return unknown("no engine is listed")
    read = [engine for engine in facts.engines if engine.process is not None]
    if mute := [engine for engine in read if _in_process(engine) and _folder(engine) == _UNSET]:
        return failed(f"{VARIABLE} is not set on {listed(mute)}")
    if silent := [engine for engine in facts.engines if engine.connectors is None]:
        return unread(silent, "the arguments")
    if silent := [engine for engine in read if _in_process(engine) and _folder(engine) is None]:
        return unread(silent, "the environment")
    if not any(_in_process(engine) for engine in read):
        return not_applicable("no engine has LMCache inside")
    return passed("set where LMCache is inside")


def _in_process(engine: Engine) -> bool:
    return any(config.get("kv_connector") in _IN_PROCESS for config in engine.connectors or [])


def _folder(engine: Engine) -> str | None:
    return None if engine.process is None else engine.process.variable(VARIABLE, unset=_UNSET)
