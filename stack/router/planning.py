"""From a request and the fleet to a plan, with what only the request's body can forbid."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from stack.control.state import NO_LIMITS, LoadLimits
from stack.engines.divisible import indivisible
from stack.fleet.engine import Engine
from stack.fleet.snapshot import Fleet
from stack.model.plan import Choice, Comparison, Plan
from stack.model.request import RouteRequest
from stack.model.tier import Path, Pool
from stack.router.admission import within
from stack.router.applied import Served
from stack.router.lineup import Lineup
from stack.router.openai import ParsedBody
from stack.strategies.disaggregation import DpdPolicy, due, plan

_NEVER = DpdPolicy(enabled=False, routing_threshold=0)
PASSED_THROUGH = "pass_through"
PREFILL_FULL = "prefill_engines_full"


def meant_path(parsed: ParsedBody, prompt_tokens: int, policy: DpdPolicy) -> Path:
    """The path that the policy and the body allow, whichever engines are ready for it."""
    if not due(prompt_tokens, policy) or not parsed.routed or indivisible(parsed.fields) is not None:
        return Path.DIRECT
    return Path.DPD


class Candidates(msgspec.Struct, frozen=True, gc=False):
    """The routable engines of both pools as they were when a request was decided, with what this router knows of their load.

    Those that have as much as the limits allow are left out; `prefill_full`: that was every prefill engine.
    """

    prefill: tuple[Engine, ...]
    decode: tuple[Engine, ...]
    prefill_full: bool = False

    @classmethod
    def of(cls, model: str, fleet: Fleet, lineup: Lineup, limits: LoadLimits = NO_LIMITS, *, both: bool = True) -> Candidates:
        """Those of `model`, now; of both pools only where a prefill engine is wanted."""
        prefill = lineup.candidates(fleet, model, Pool.PREFILL) if both else ()
        decode = lineup.candidates(fleet, model, Pool.DECODE)
        if limits.in_flight_per_engine is None:
            return cls(prefill, decode)
        free = within(prefill, limits)
        return cls(free, within(decode, limits), prefill_full=bool(prefill) and not free)


class Computing(msgspec.Struct, frozen=True, gc=False):
    """The choice of the engine that computes the prompt: the prefill engine's where there are two legs."""

    choice: Choice
    strategy: str
    candidates: tuple[Engine, ...]
    pool: Pool = Pool.DECODE

    @classmethod
    def of(cls, plan: Plan, candidates: Candidates) -> Computing:
        if plan.prefill is None or plan.prefill_strategy is None:
            return cls(plan.decode, plan.decode_strategy, candidates.decode)
        return cls(plan.prefill, plan.prefill_strategy, candidates.prefill, Pool.PREFILL)


def plan_for(parsed: ParsedBody, route: RouteRequest, candidates: Candidates, served: Served) -> Plan:
    """The way of one request. Raises EmptyPoolError when no decode engine is routable.

    A request that is due for two legs takes the direct path, with the reason as its fallback, when it cannot be split or
    the pools' P/D protocol is not spoken; what is no chat or completion always does.
    """
    if not parsed.routed:
        return replace(plan(route, (), candidates.decode, served.strategies, _NEVER), reason=PASSED_THROUGH)
    obstacle = (served.link.refusal or indivisible(parsed.fields)) if due(route.prompt_tokens, served.policy) else None
    if obstacle is not None:
        compared = Comparison(route.prompt_tokens, served.policy.routing_threshold)
        direct = plan(route, (), candidates.decode, served.strategies, _NEVER)
        return replace(direct, reason=obstacle, fallback=obstacle, compared=compared)
    planned = plan(route, candidates.prefill, candidates.decode, served.strategies, served.policy)
    if planned.fallback is not None and candidates.prefill_full:
        return replace(planned, reason=PREFILL_FULL, fallback=PREFILL_FULL)
    return planned
