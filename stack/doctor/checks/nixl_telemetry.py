"""NIXL's telemetry."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, listed, passed, undivided, unknown
from stack.doctor.facts import Engine, Facts
from stack.engines.vllm_transfers import TRIED, transfers
from stack.model.tier import Pool


@check(
    Group.DPD,
    "NIXL's transfers are counted as what they are",
    why="A NIXL built or run without telemetry turns completed transfers into failures, and requests into HTTP 500.",
    fix="Use a NIXL with telemetry (NIXL_TELEMETRY_ENABLE=1), or a vLLM that does without; rule out an unreachable peer first.",
)
def look(facts: Facts) -> Finding:
    if (whole := undivided(facts)) is not None:
        return whole
    ill, silent = [], []
    for engine in facts.pool(Pool.DECODE):
        doubtful = _doubtful(engine)
        if doubtful is None:
            silent.append(engine)
        elif doubtful:
            ill.append(engine)
    if ill:
        return failed(f"nearly every transfer failed on {listed(ill)}")
    if silent:
        return unknown(f"{listed(silent)} told of fewer than {TRIED} transfers: send some requests over both pools")
    if not facts.pool(Pool.DECODE):
        return unknown("no decode engine is listed")
    return passed("not nearly every transfer failed")


def _doubtful(engine: Engine) -> bool | None:
    told = transfers(engine.exposed) if engine.exposed is not None else ()
    return next((moved.failures_doubtful for moved in told if moved.transport == "nixl"), None)
