"""Connectors on both sides."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, listed, passed, undivided, unknown, unread
from stack.doctor.facts import Engine, Facts
from stack.model.tier import Pool

_HOLDS_OTHERS = "MultiConnector"
_ROLES = {Pool.PREFILL: frozenset({"kv_producer", "kv_both"}), Pool.DECODE: frozenset({"kv_consumer", "kv_both"})}


@check(
    Group.DPD,
    "Prefill and decode engines have matching KV connectors",
    why="A side without the connector, or with the other role, drops the hand-over: decode computes the prompt again.",
    fix="Give both pools the same kv_connector in --kv-transfer-config: kv_producer prefills, kv_consumer decodes, or kv_both.",
)
def look(facts: Facts) -> Finding:
    if (whole := undivided(facts)) is not None:
        return whole
    if not facts.pool(Pool.DECODE):
        return unknown("no decode engine is listed")
    read = [engine for engine in facts.engines if engine.connectors is not None]
    if wrong := [engine for engine in read if not _plays(engine)]:
        return failed(f"{listed(wrong)} cannot play the part of its pool")
    if silent := [engine for engine in facts.engines if engine.connectors is None]:
        return unread(silent, "the arguments")
    kinds = {_moving(engine) for engine in read}
    if not frozenset.intersection(*kinds):
        return failed("no connector is on all engines: " + "; ".join(sorted(", ".join(sorted(kind)) or "none" for kind in kinds)))
    return passed("on all: " + ", ".join(sorted(frozenset.intersection(*kinds))))


def _plays(engine: Engine) -> bool:
    configs = engine.connectors or []
    return bool(configs) and configs[0].get("kv_role") in _ROLES[engine.target.pool]


def _moving(engine: Engine) -> frozenset[str]:
    """Its connectors that move KV themselves; one that holds others moves none."""
    configs = engine.connectors or []
    return frozenset(name for config in configs if isinstance(name := config.get("kv_connector"), str) and name != _HOLDS_OTHERS)
