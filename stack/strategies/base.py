"""The contract of a routing strategy, and the registry every strategy file registers in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from stack.fleet.engine import Engine
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.registry import Registry


class EmptyPoolError(LookupError):
    """A strategy was asked to choose among no engines."""


class Strategy(Protocol):
    """Choose without side effects over frozen inputs.

    What is known of the fleet, of its caches and of what it was sent comes with the request and the candidates, so that a
    decision replays, a shadow strategy is free, and a switch of strategy starts with knowledge. Candidates are routable
    engines of one pool.
    """

    def choose(self, request: RouteRequest, candidates: Sequence[Engine]) -> Choice:
        """One of `candidates`. Raises EmptyPoolError when there is none."""
        ...


REGISTRY: Registry[Strategy] = Registry("strategy")
register = REGISTRY.register
create = REGISTRY.create
names = REGISTRY.names

# HyperPod's spellings of the same four (InferenceEndpointConfig spec.intelligentRoutingSpec.routingStrategy).
ALIASES = {
    "roundrobin": "round_robin",
    "prefixaware": "prefix_aware",
    "kvaware": "kv_aware",
}

# The one that falls back on another when a prompt's placement is not known.
NEEDS_PLACEMENT = "kv_aware"


def canonical(name: str) -> str:
    """kvdeck's own spelling of a strategy name; an unknown name comes back unchanged."""
    return ALIASES.get(name.lower(), name)
