"""KV events are published."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, listed, passed, unknown
from stack.doctor.facts import Engine, Facts


@check(
    Group.ROUTING,
    "Engines publish KV events",
    why="Without them a router cannot know which engine holds a prefix, and routes as if none did.",
    fix="Start engines with --kv-events-config (enable_kv_cache_events, publisher zmq, an endpoint, a replay_endpoint).",
)
def look(facts: Facts) -> Finding:
    told = [(engine, _publishes(engine)) for engine in facts.engines]
    if off := [engine for engine, on in told if on is False]:
        return failed(f"off on {listed(off)}")
    if silent := [engine for engine, on in told if on is None]:
        return unknown(
            f"not told by {listed(silent)}: GET /kv_event_sources would, or a replay endpoint that answers (label replay)"
        )
    return passed(f"on, on {len(told)} engines") if told else unknown("no engine is listed")


def _publishes(engine: Engine) -> bool | None:
    if engine.events is not None:
        return bool(engine.events) and all(source.enabled and source.endpoint for source in engine.events)
    # Only what replays has published; that the list names an endpoint is no word of the engine's.
    return True if engine.replays else None
