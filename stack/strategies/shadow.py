"""What the other strategies would have done with the same request, and what that would have been worth as far as can be told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stack.fleet.engine import Engine
from stack.model.placement import Placement
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.strategies.disaggregation import Named


@dataclass(frozen=True, slots=True)
class Shadow:
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

    Seconds are compared by one yardstick, the predictions of whichever strategy makes them for every candidate: those of the
    acting one first, else of the first shadow that does. A strategy's own optimism is no gain.
    """
    chosen = {one.name: one.strategy.choose(request, candidates) for one in others if one.name != acting_strategy}
    seconds = _yardstick((acting, *chosen.values()), candidates)
    made = []
    for name, choice in chosen.items():
        agrees = choice.engine == acting.engine
        tokens = 0 if agrees else _more(request.placement, choice.engine, acting.engine)
        faster = 0.0 if agrees else None
        if not agrees and choice.engine in seconds and acting.engine in seconds:
            faster = seconds[acting.engine] - seconds[choice.engine]
        made.append(Shadow(name, choice.engine, choice.reason, agrees, tokens, faster))
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


def _yardstick(choices: Sequence[Choice], candidates: Sequence[Engine]) -> dict[str, float]:
    """Seconds to the first token at each candidate, as one strategy predicts them; empty when none does."""
    for choice in choices:
        part = choice.ranked_by
        if choice.predicted_ttft_s is None or part is None:
            continue
        return {
            engine.name: choice.scores[engine.name][part] for engine in candidates if part in choice.scores.get(engine.name, ())
        }
    return {}
