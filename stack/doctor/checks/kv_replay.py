"""KV events can be asked for again."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, listed, passed, unknown
from stack.doctor.facts import Facts


@check(
    Group.ROUTING,
    "Engines replay KV events",
    why="A router that starts later, or misses an event, relearns what an engine holds from its replay buffer alone.",
    fix="Give --kv-events-config a replay_endpoint that routers can reach, and its port to the Service or network policy.",
)
def look(facts: Facts) -> Finding:
    if dumb := [engine for engine in facts.engines if engine.replays is False]:
        return failed(f"the replay endpoint of {listed(dumb)} does not answer")
    if unasked := [engine for engine in facts.engines if engine.replays is None]:
        return unknown(f"no replay endpoint known of {listed(unasked)}: the label replay in the target file names it")
    return passed("all answer") if facts.engines else unknown("no engine is listed")
