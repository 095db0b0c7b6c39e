"""Prometheus keeps what rules look back on."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, passed, unknown
from stack.doctor.facts import Facts
from stack.metrics.duration import seconds, windows

_DEFAULT = "15d"  # Prometheus' own, where neither a time nor a size is set


@check(
    Group.WATCHING,
    "Prometheus keeps data for as long as rules look back",
    why="A burn-rate window longer than the retention averages over what is left, and never reaches its threshold.",
    fix="Raise --storage.tsdb.retention.time above the longest window.",
)
def look(facts: Facts) -> Finding:
    prometheus = facts.prometheus
    if prometheus is None:
        return unknown("no Prometheus given: --prometheus URL")
    if prometheus.retention is None or prometheus.rules is None:
        return unknown(f"its flags or rules cannot be read: {prometheus.fault or 'not told'}")
    looked = [window for rule in prometheus.rules for window in windows(rule.query)]
    if not looked:
        return unknown("it evaluates no rule with a window")
    longest = max(looked, key=seconds)
    kept = prometheus.retention if seconds(prometheus.retention) else _DEFAULT
    if prometheus.size_limit not in {None, "0B"}:
        return unknown(f"it keeps at most {prometheus.size_limit}, and how long that lasts only its oldest sample tells")
    told = f"keeps {kept}, the longest window is {longest}"
    return passed(told) if seconds(kept) > seconds(longest) else failed(told)
