"""What becomes of a request whose KV cannot be loaded."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, listed, passed, undivided, unknown, unread
from stack.doctor.facts import Engine, Facts
from stack.model.tier import Pool


@check(
    Group.DPD,
    "An engine that cannot load KV computes it",
    why="vLLM's default fails the request: a client gets HTTP 500 for every prefill engine that went away in between.",
    fix='Set "kv_load_failure_policy": "recompute" in --kv-transfer-config, on a MultiConnector and on those in it.',
)
def look(facts: Facts) -> Finding:
    if (whole := undivided(facts)) is not None:
        return whole
    decode = facts.pool(Pool.DECODE)
    if harsh := [engine for engine in decode if engine.connectors is not None and not _recomputes(engine)]:
        return failed(f"{listed(harsh)} fails such requests")
    if silent := [engine for engine in decode if engine.connectors is None]:
        return unread(silent, "the arguments")
    return passed("recompute on all decode engines") if decode else unknown("no decode engine is listed")


def _recomputes(engine: Engine) -> bool:
    configs = engine.connectors or []
    return bool(configs) and configs[0].get("kv_load_failure_policy") == "recompute"
