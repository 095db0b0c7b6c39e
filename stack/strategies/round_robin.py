"""Take turns: knows nothing of prompts, caches or load, and is the yardstick for everything that does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stack.fleet.engine import Engine
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.strategies import base
from stack.strategies.load import refuse_empty


@base.register("round_robin")
@dataclass(frozen=True, slots=True)
class RoundRobin:
    """The candidate at `request.sequence`, by name, wrapping round; any N numbers in a row meet N engines once each."""

    def choose(self, request: RouteRequest, candidates: Sequence[Engine]) -> Choice:
        """The next candidate in turn. Raises EmptyPoolError."""
        refuse_empty(candidates)
        ordered = sorted(candidates, key=lambda engine: engine.name)
        return Choice(ordered[request.sequence % len(ordered)].name, reason="turn")
