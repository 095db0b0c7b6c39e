"""ServiceMonitors, PodMonitors and PrometheusRules that no Prometheus takes up."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, not_applicable, passed, unknown
from stack.doctor.facts import Facts
from stack.kube.operator import Kind

_WORDS = {Kind.SERVICE_MONITOR: "ServiceMonitor", Kind.POD_MONITOR: "PodMonitor", Kind.RULE: "PrometheusRule"}
_SHOWN = 4


@check(
    Group.WATCHING,
    "A Prometheus takes up every monitor and rule",
    why="The operator ignores what no Prometheus selects, and says so nowhere: dashboards stay empty and alerts cannot fire.",
    fix="Give it the labels that the Prometheus' selectors ask for (often `release`), or widen these and those of namespaces.",
)
def look(facts: Facts) -> Finding:
    monitored = facts.monitored
    if monitored is None:
        if not facts.engines:
            return unknown("no engine is listed")
        return not_applicable("no engine is known to be a pod: --kubernetes SELECTOR names them")
    if monitored.operator is None:
        if monitored.fault is not None:
            return unknown(f"they, namespaces and Prometheuses have to be listed: {monitored.fault}")
        return not_applicable("no Prometheus operator is here")
    operator = monitored.operator
    if not operator.objects:
        return unknown("there is none in the namespaces that were looked at")
    left = [f"{_WORDS[kind]} {found.namespace}/{found.name}" for kind, found in operator.left()]
    if left:
        more = f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
        return failed(f"none of {len(operator.prometheuses)} takes up {', '.join(left[:_SHOWN])}{more}")
    return passed(f"{len(operator.objects)} of {len(operator.objects)}")
