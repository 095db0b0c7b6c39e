"""Scrapes succeed in time."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, passed, unknown
from stack.doctor.facts import Facts

_SHARE = 0.8


@check(
    Group.WATCHING,
    "Scrapes succeed, well within their timeout",
    why="A scrape that times out now and then leaves holes in which rates vanish and alerts reset.",
    fix="Raise scrape_timeout, or drop series of the target; an exposition that grows with dead processes wants its folder wiped.",
)
def look(facts: Facts) -> Finding:
    prometheus = facts.prometheus
    if prometheus is None:
        return unknown("no Prometheus given: --prometheus URL")
    if prometheus.scrapes is None:
        return unknown(f"its targets cannot be read: {prometheus.fault or 'not told'}")
    if not prometheus.scrapes:
        return failed("it scrapes nothing")
    if down := [scrape.target for scrape in prometheus.scrapes if scrape.health == "down"]:
        return failed(f"down: {', '.join(down[:4])}" + (f" and {len(down) - 4} more" if len(down) > 4 else ""))
    slow = [
        one for one in prometheus.scrapes if one.timeout_seconds is not None and one.took_seconds > _SHARE * one.timeout_seconds
    ]
    if slow:
        return failed("near the timeout: " + ", ".join(f"{one.target} {one.took_seconds:.1f} s" for one in slow[:4]))
    if fresh := [scrape.target for scrape in prometheus.scrapes if scrape.health != "up"]:
        return unknown(f"not scraped yet: {', '.join(fresh[:4])}")
    return passed(f"{len(prometheus.scrapes)} targets, the slowest in {max(one.took_seconds for one in prometheus.scrapes):.2f} s")
