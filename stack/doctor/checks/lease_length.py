"""How long prefill engines hold KV for decode engines, against what keeps these from fetching it."""

from __future__ import annotations

from stack.doctor.check import Finding, Group, check, failed, listed, passed, undivided, unknown, unread
from stack.doctor.facts import Engine, Facts
from stack.engines import vllm_quantities as vq
from stack.engines.versions import version
from stack.model.tier import Pool

OPTION = "kv_lease_duration"
VARIABLE = "VLLM_NIXL_ABORT_REQUEST_TIMEOUT"
_SHARE = 0.99
# vLLM's defaults in seconds. A timeout of the environment until a lease that a waiting request renews took its place, in a
# release between the two: https://docs.vllm.ai/en/latest/design/nixl_kv_cache_lease/
_TIMEOUT_UNTIL, _LEASE_SINCE = (0, 21, 0), (0, 22, 0)
_TIMEOUT, _LEASE = 480.0, 30.0


@check(
    Group.DPD,
    "The KV lease outlasts what delays a decode engine",
    why="A decode engine fetches KV between its steps: a long prompt of its own delays that, and before vLLM 0.22 its queue, too.",
    fix=f"Lengthen it ({OPTION} of the connector; {VARIABLE} before vLLM 0.22), or keep long prompts off decode engines.",
)
def look(facts: Facts) -> Finding:
    if (whole := undivided(facts)) is not None:
        return whole
    leases = {engine.name: _lease(engine) for engine in facts.pool(Pool.PREFILL)}
    if silent := [engine for engine in facts.pool(Pool.PREFILL) if leases[engine.name] is None]:
        return unread(silent, "the KV lease")
    delays = {engine.name: _delay(engine) for engine in facts.pool(Pool.DECODE)}
    if untold := [engine for engine in facts.pool(Pool.DECODE) if delays[engine.name] is None]:
        return unknown(f"{listed(untold)} told of no queue and prefill times: send some requests")
    if not delays:
        return unknown("no decode engine is listed")
    lease = min(found for found in leases.values() if found is not None)
    name, delay = max(((name, found) for name, found in delays.items() if found is not None), key=lambda one: one[1])
    told = f"{lease:g} s; {_SHARE:.0%} of requests delay it by {delay:g} s at most, on {name}"
    return passed(told) if delay < lease else failed(told)


def _lease(engine: Engine) -> float | None:
    """Seconds, as the engine's process was told or by its version's default; None where neither can be known."""
    told = version(engine.version)
    configs = engine.connectors or []
    if engine.process is None or told is None or not configs:
        return None
    if told >= _LEASE_SINCE:
        extras = (config.get("kv_connector_extra_config") for config in configs)
        return _number(next((extra[OPTION] for extra in extras if isinstance(extra, dict) and OPTION in extra), _LEASE))
    return _number(engine.process.variable(VARIABLE, unset=str(_TIMEOUT))) if told < _TIMEOUT_UNTIL else None


def _number(given: object) -> float | None:
    try:
        return float(str(given))
    except ValueError:
        return None


def _delay(engine: Engine) -> float | None:
    """Seconds for which nearly no request keeps its engine from fetching, by the bounds of buckets; None if not told."""
    told = version(engine.version)
    if engine.exposed is None or told is None:
        return None
    counted = (vq.PREFILL_TIME,) if told >= _LEASE_SINCE else (vq.QUEUE_TIME, vq.PREFILL_TIME)
    histograms = [engine.exposed.histogram(quantity) for quantity in counted]
    bounds = [None if one is None else one.bound(_SHARE) for one in histograms]
    return None if None in bounds else sum(bound for bound in bounds if bound is not None)
