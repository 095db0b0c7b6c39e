"""What strategies share about time: a prompt's first token on each engine, as parts of a score."""

from __future__ import annotations

from stack.cache.cost import Cost, cost
from stack.fleet.engine import Engine
from stack.model.placement import EnginePlacement
from stack.model.request import RouteRequest

RANKED_BY = "ttft_s"


def predicted(request: RouteRequest, engine: Engine, held: EnginePlacement, prompt_tokens: int) -> Cost:
    """When `engine`, of which `held` is known or guessed, would give the first token."""
    return cost(held, prompt_tokens, engine.queue, engine.in_flight, engine.rates, request.now)


def parts(predicted: Cost) -> dict[str, float]:
    """The seconds of a prediction by name, as a record shows them."""
    return {
        "overhead_s": predicted.overhead_s + predicted.running_s,
        "queue_s": predicted.queue_s,
        "compute_s": predicted.compute_s,
        "load_s": predicted.load_s,
        "ttft_s": predicted.ttft_s,
    }
