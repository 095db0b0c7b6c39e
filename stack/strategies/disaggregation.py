"""Whether a request takes prefill -> KV transfer -> decode, and which engines serve it: two strategies make one Plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from stack.fleet.engine import Engine
from stack.model.placement import UnknownReason
from stack.model.plan import Choice, Comparison, Plan
from stack.model.request import RouteRequest
from stack.model.tier import Path
from stack.strategies.base import EmptyPoolError, Strategy
from stack.strategies.line import Line

_UNANSWERED = frozenset(UnknownReason)


class PathReason(StrEnum):
    """Why a plan takes its path."""

    DISABLED = "dpd_disabled"
    BELOW_THRESHOLD = "below_threshold"
    ALREADY_CACHED = "already_cached"
    AT_THRESHOLD = "at_threshold"
    NO_READY_PREFILL_ENGINE = "no_ready_prefill_engine"


class DpdPolicy(msgspec.Struct, frozen=True, gc=False):
    """When to disaggregate: `prompt tokens >= routing_threshold`, so 0 means always; never is `enabled=False`.

    A prompt of which a decode engine is known to hold all but fewer than `min_uncached_tokens` has nothing to prefill
    elsewhere; 0 means that this never counts.
    """

    enabled: bool
    routing_threshold: int
    min_uncached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Named:
    """A strategy with the name that records and metrics show.

    `fallback` decides in its place, for the same reason, when a prompt's placement is needed and not known.
    """

    name: str
    strategy: Strategy
    fallback: Named | None = None

    def choose(self, request: RouteRequest, candidates: Sequence[Engine]) -> Choice:
        """Its choice, or the fallback's. Raises EmptyPoolError."""
        choice = self.strategy.choose(request, candidates)
        other = self.fallback
        if choice.fallback is None or other is None or choice.fallback not in _UNANSWERED or choice.decided_by == other.name:
            return choice
        return replace(other.strategy.choose(request, candidates), fallback=choice.fallback, decided_by=other.name)


@dataclass(frozen=True, slots=True)
class PoolStrategies:
    """The strategy of each pool."""

    prefill: Named
    decode: Named


def due(prompt_tokens: int, policy: DpdPolicy) -> bool:
    """The policy wants a prompt of this length disaggregated."""
    return policy.enabled and prompt_tokens >= policy.routing_threshold


def plan(
    request: RouteRequest,
    prefill: Sequence[Engine],
    decode: Sequence[Engine],
    strategies: PoolStrategies,
    policy: DpdPolicy,
) -> Plan:
    """The way of one request through both pools; engines that are not routable are passed over.

    `Plan.reason` is a PathReason and says why this path; each Choice carries its strategy's own reason and
    fallback. A prompt that decode engines hold already goes to one of these. `Plan.fallback` is set only when
    disaggregation was due and no prefill engine can take it.
    Raises EmptyPoolError when no decode engine is routable.
    """
    decoders = _routable(decode)
    if not decoders:
        raise EmptyPoolError("no routable decode engine")
    if not policy.enabled:
        return _direct(request, decoders, strategies, PathReason.DISABLED)
    compared = Comparison(request.prompt_tokens, policy.routing_threshold)
    if request.prompt_tokens < policy.routing_threshold:
        return _direct(request, decoders, strategies, PathReason.BELOW_THRESHOLD, compared)
    holders = tuple(engine for engine in decoders if _holds(engine, request, policy))
    if holders:
        held = _direct(request, holders, strategies, PathReason.ALREADY_CACHED)
        uncached = _uncached(held.decode.engine, request)
        return replace(held, compared=Comparison(uncached, policy.min_uncached_tokens, "uncached"))
    prefillers = _routable(prefill)
    if not prefillers:
        missing = PathReason.NO_READY_PREFILL_ENGINE
        return _direct(request, decoders, strategies, missing, compared, fallback=missing)
    return Plan(
        path=Path.DPD,
        decode=strategies.decode.choose(request, decoders),
        decode_strategy=strategies.decode.name,
        reason=PathReason.AT_THRESHOLD,
        prefill=strategies.prefill.choose(request, prefillers),
        prefill_strategy=strategies.prefill.name,
        compared=compared,
    )


def _direct(
    request: RouteRequest,
    decoders: Sequence[Engine],
    strategies: PoolStrategies,
    reason: PathReason,
    compared: Comparison | None = None,
    fallback: PathReason | None = None,
) -> Plan:
    return Plan(
        path=Path.DIRECT,
        decode=strategies.decode.choose(request, decoders),
        decode_strategy=strategies.decode.name,
        reason=reason,
        fallback=fallback,
        compared=compared,
    )


def _holds(engine: Engine, request: RouteRequest, policy: DpdPolicy) -> bool:
    """The engine is known to hold nearly all of the prompt; of one whose placement is unknown nothing is assumed."""
    return engine.name in request.placement.engines and _uncached(engine.name, request) < policy.min_uncached_tokens


def _uncached(engine: str, request: RouteRequest) -> int:
    """Tokens of the prompt that `engine`, whose placement is known, would have to compute."""
    prompt = request.placement.prompt_tokens or request.prompt_tokens
    return prompt - request.placement.engines[engine].cached_tokens


def _routable(engines: Sequence[Engine]) -> tuple[Engine, ...]:
    if isinstance(engines, Line):  # they all are
        return engines
    return tuple([engine for engine in engines if engine.routable])
