"""NIXL's telemetry."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, listed, passed, undivided, unknown
from stack.doctor.facts import Facts
from stack.engines import vllm_quantities as vq
from stack.engines.versions import version
from stack.engines.vllm_exposed import Exposed
from stack.model.tier import Pool

_TRIED, _NEARLY_ALL = 10, 0.99


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
        exposed = Exposed(engine.samples, version(engine.version)) if engine.samples is not None else None
        bad = exposed.number(vq.NIXL_FAILED) if exposed else None
        good = exposed.histogram(vq.NIXL_TIME) if exposed else None
        tried = (bad or 0.0) + (good.count if good else 0.0)
        if bad is None or tried < _TRIED:
            silent.append(engine)
        elif bad / tried >= _NEARLY_ALL:
            ill.append(engine)
    if ill:
        return failed(f"nearly every transfer failed on {listed(ill)}")
    if silent:
        return unknown(f"{listed(silent)} told of fewer than {_TRIED} transfers: send some requests over both pools")
    return passed("transfers complete")
