"""Every engine can be asked."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, listed, passed, unknown
from stack.doctor.facts import Facts


@check(
    Group.FLEET,
    "Every listed engine answers",
    why="An engine that is listed and does not answer is sent requests by whoever believes the list.",
    fix="Look at the engine's log; take an engine that is gone out of the target file.",
)
def look(facts: Facts) -> Finding:
    if not facts.engines:
        return unknown("no engine is listed: give a target file with --targets")
    if away := [engine for engine in facts.engines if engine.fault is not None]:
        return failed(f"{listed(away)} did not answer ({away[0].fault})")
    return passed(f"{len(facts.engines)} answer")
