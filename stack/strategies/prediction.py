"""What strategies share about time: a prompt's first token on each engine, as parts of a score."""

from __future__ import annotations

from collections.abc import Sequence

from stack.cache.cost import Cost, ahead, cost
from stack.cache.prefix import PREFIX_BYTES
from stack.fleet.engine import Engine
from stack.model.placement import EnginePlacement
from stack.model.request import RouteRequest

TTFT = "ttft_s"  # the score part that every strategy that predicts has


def predicted(request: RouteRequest, engine: Engine, held: EnginePlacement, prompt_tokens: int) -> Cost:
    """When `engine`, of which `held` is known, would give the first token.

    What is not known to be in a tier is counted as to be computed.
    """
    compute = max(prompt_tokens - held.cached_tokens, 0)
    l1, l2 = held.l1_tokens or 0, held.l2_tokens or 0
    return cost(compute, l1, l2, engine.queue, engine.in_flight, engine.rates, request.now)


def computing(request: RouteRequest, engine: Engine, tokens: float) -> Cost:
    """When `engine` would give the first token, if it has so many tokens of the prompt to compute and none to load."""
    return cost(tokens, 0, 0, engine.queue, engine.in_flight, engine.rates, request.now)


def leading(request: RouteRequest, depth: int) -> int:
    """The tokens of so many leading pieces. Where a match ends is within the next piece, anywhere: that one counts half."""
    if not 0 < depth < len(request.prefix_hashes):
        return request.prompt_tokens if depth else 0
    share = (PREFIX_BYTES[depth] + PREFIX_BYTES[depth + 1]) / 2 / max(request.prompt_bytes, 1)
    return int(request.prompt_tokens * min(share, 1.0))


def times(request: RouteRequest, engines: Sequence[Engine], held: Sequence[int]) -> list[float]:
    """Seconds to the first token on each of `engines`, which hold so many of its tokens: as `computing`, at a third of the cost."""
    found, tokens, now = [], request.prompt_tokens, request.now
    for engine, own in zip(engines, held, strict=True):
        rates, queue = engine.rates, engine.queue
        rate, seconds = rates.prefill_tokens_per_s, rates.overhead_s + rates.running_s * engine.in_flight
        if queue.tokens:
            seconds += ahead(queue, rates, now) / rate
        found.append(seconds + (tokens - own) / rate)
    return found
