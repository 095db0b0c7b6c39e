"""Clocks."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, listed, passed, unknown
from stack.doctor.facts import Facts

MOST_SECONDS = 2.0


@check(
    Group.FLEET,
    "Clocks agree within two seconds",
    why="Leases, event times and rates compare times of two machines; a clock that is off makes fresh data old.",
    fix="Run chrony or another NTP client on every node.",
)
def look(facts: Facts) -> Finding:
    told = [(engine, engine.skew) for engine in facts.engines if engine.skew is not None]
    if off := [engine for engine, skew in told if skew.least > MOST_SECONDS or skew.most < -MOST_SECONDS]:
        return failed(f"{listed(off)} differs from this machine by more than {MOST_SECONDS:.0f} s")
    if silent := [engine for engine in facts.engines if engine.skew is None]:
        return unknown(f"{listed(silent)} sends no Date header")
    if not told:
        return unknown("no engine is listed")
    worst = max(max(abs(skew.least), abs(skew.most)) for _, skew in told)
    if worst > MOST_SECONDS + 1:
        return unknown(f"only known to be within {worst:.1f} s: the answers were too slow to tell")
    return passed(f"within {worst:.1f} s of this machine's, as far as a Date header tells")
