"""Rules are loaded."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, passed, unknown
from stack.doctor.facts import Facts

PREFIXES = ("Kvdeck", "kvdeck:")


@check(
    Group.WATCHING,
    "Prometheus evaluates this project's rules",
    why="Rules that nobody loads (a PrometheusRule without the label that is selected) never fire, and never say so.",
    fix="Add the rule files to rule_files, or the labels that the Prometheus resource's ruleSelector wants to the PrometheusRule.",
)
def look(facts: Facts) -> Finding:
    prometheus = facts.prometheus
    if prometheus is None:
        return unknown("no Prometheus given: --prometheus URL")
    if prometheus.rules is None:
        return unknown(f"its rules cannot be read: {prometheus.fault or 'not told'}")
    ours = [rule for rule in prometheus.rules if rule.name.startswith(PREFIXES)]
    if not ours:
        return failed("it has none of them")
    if broken := [rule.name for rule in ours if rule.health == "err"]:
        return failed(f"cannot be evaluated: {', '.join(broken[:4])}")
    if fresh := [rule.name for rule in ours if rule.health != "ok"]:
        return unknown(f"not evaluated yet: {', '.join(fresh[:4])}")
    return passed(f"{len(ours)} rules")
