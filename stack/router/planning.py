"""From a request and the fleet to a plan, with what only the request's body can forbid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from stack.engines.kv_transfer import indivisible
from stack.fleet.snapshot import Fleet
from stack.model.plan import Plan
from stack.model.request import RouteRequest
from stack.model.tier import Path, Pool
from stack.router.applied import Served
from stack.router.openai import ParsedBody
from stack.strategies.disaggregation import DpdPolicy, due, plan

_NEVER = DpdPolicy(enabled=False, routing_threshold=0)
PASSED_THROUGH = "pass_through"


def meant_path(parsed: ParsedBody, prompt_tokens: int, policy: DpdPolicy) -> Path:
    """The path that the policy and the body allow, whichever engines are ready for it."""
    if not parsed.routed or not due(prompt_tokens, policy) or indivisible(parsed.fields) is not None:
        return Path.DIRECT
    return Path.DPD


def plan_for(parsed: ParsedBody, route: RouteRequest, fleet: Fleet, served: Served, in_flight: Mapping[str, int]) -> Plan:
    """The way of one request. Raises EmptyPoolError when no decode engine is routable.

    A request that is due for two legs and cannot be split takes the direct path, with the reason as its fallback;
    what is no chat or completion always does.
    """
    prefill, decode = (fleet.candidates(route.model, pool, in_flight) for pool in (Pool.PREFILL, Pool.DECODE))
    if not parsed.routed:
        return replace(plan(route, (), decode, served.strategies, _NEVER), reason=PASSED_THROUGH)
    obstacle = indivisible(parsed.fields) if due(route.prompt_tokens, served.policy) else None
    if obstacle is not None:
        return replace(plan(route, (), decode, served.strategies, _NEVER), reason=obstacle, fallback=obstacle)
    return plan(route, prefill, decode, served.strategies, served.policy)
