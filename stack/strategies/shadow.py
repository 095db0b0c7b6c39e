"""What the other strategies would have done with the same request, and what that would have been worth as far as can be told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from stack.fleet.engine import Engine
from stack.model.placement import Placement
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.strategies.disaggregation import Named
from stack.strategies.prediction import TTFT, predicted


class Shadow(msgspec.Struct, frozen=True, gc=False):
    """One strategy's choice beside the one that was carried out.

    `gained_tokens` are cached tokens expected at its engine, minus those expected at the engine chosen; `gained_seconds` the
    time to the first token expected at the engine chosen, minus that at its own. Both are positive when it would have done
    better, 0 when it agrees, and None where nothing is expected of either engine.
    """

    strategy: str
    engine: str
    reason: str
    agrees: bool
    gained_tokens: int | None = None
    gained_seconds: float | None = None


def shadows(
    request: RouteRequest, candidates: Sequence[Engine], acting: Choice, acting_strategy: str, others: Iterable[Named]
) -> tuple[Shadow, ...]:
    """What each of `others` but the acting strategy chooses among the candidates that `acting` was chosen from.

    Seconds are compared by one yardstick, for a strategy's own optimism is no gain: predictions from what the engines are
    known to hold, and where that is not known those of the first strategy, the acting one before all, that makes any.
    """
    chosen = {one.name: one.strategy.choose(request, candidates) for one in others if one.name != acting_strategy}
    engines = {engine.name: engine for engine in candidates}
    learnt = next((choice for choice in (acting, *chosen.values()) if choice.predicted_ttft_s is not None), acting)
    made = []
    for name, choice in chosen.items():
        if choice.engine == acting.engine:
            made.append(Shadow(name, choice.engine, choice.reason, True, 0, 0.0))
            continue
        tokens = _more(request.placement, choice.engine, acting.engine)
        if tokens is None:
            seconds = _scored(learnt, acting.engine, choice.engine)
        else:
            seconds = _ttft(request, engines[acting.engine]) - _ttft(request, engines[choice.engine])
        made.append(Shadow(name, choice.engine, choice.reason, False, tokens, seconds))
    return tuple(made)


def regret(placement: Placement, candidates: Sequence[Engine], chosen: str) -> int | None:
    """Cached tokens expected at the best of `candidates`, minus those at `chosen`; None when nothing was known of that."""
    placed = placement.engines
    if chosen not in placed:
        return None
    own = best = placed[chosen].cached_tokens
    for engine in candidates:
        held = placed.get(engine.target.replica)
        if held is not None and held.cached_tokens > best:
            best = held.cached_tokens
    return best - own


def _more(placement: Placement, engine: str, than: str) -> int | None:
    one, other = placement.engines.get(engine), placement.engines.get(than)
    return None if one is None or other is None else one.cached_tokens - other.cached_tokens


def _ttft(request: RouteRequest, engine: Engine) -> float:
    placement = request.placement
    return predicted(request, engine, placement.engines[engine.name], placement.prompt_tokens or request.prompt_tokens).ttft_s


def _scored(choice: Choice, slower: str, faster: str) -> float | None:
    """By how many seconds `choice` predicted the first token sooner on one engine; None when it did not predict both."""
    one, other = choice.scores.get(slower, {}).get(TTFT), choice.scores.get(faster, {}).get(TTFT)
    return None if choice.predicted_ttft_s is None or one is None or other is None else one - other
