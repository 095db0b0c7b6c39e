"""KV that was read after its lease."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, listed, passed, undivided, unknown
from stack.doctor.facts import Facts
from stack.engines import vllm_quantities as vq
from stack.model.tier import Pool


@check(
    Group.DPD,
    "No KV outlived its lease",
    why="Blocks are reused once their lease ends; a decode engine that reads later answers wrong text, with status 200.",
    fix="Hand over sooner, or lengthen the lease (kv_lease_duration, in older versions VLLM_NIXL_ABORT_REQUEST_TIMEOUT).",
)
def look(facts: Facts) -> Finding:
    if (whole := undivided(facts)) is not None:
        return whole
    late, silent = [], []
    for engine in facts.pool(Pool.PREFILL):
        exposed = engine.exposed
        told = [exposed.number(quantity) for quantity in (vq.NIXL_EXPIRED, vq.NIXL_LATE)] if exposed else []
        if any(told):
            late.append(engine)
        elif not told or told[0] is None:
            silent.append(engine)
    if late:
        return failed(f"leases ended before their KV was read, on {listed(late)}")
    if silent:
        return unknown(f"{listed(silent)} counts no leases: NIXL on vLLM 0.15.1 or later does, once it has transferred")
    return passed("no lease ended before its KV was read")
