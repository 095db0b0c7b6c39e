"""Send a prompt where its beginning was sent before: no tokenizer, and no word from the engines, is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from stack.cache.cost import Cost
from stack.cache.crowd import Crowd
from stack.cache.learnt import PIECES_PER_ENGINE, LearntPrefixes
from stack.fleet.engine import Engine
from stack.model.outcome import Outcome
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.strategies import base, rendezvous
from stack.strategies.load import least_loaded, refuse_empty
from stack.strategies.prediction import RANKED_BY, computing

# What so many of the prompts share counts as held by every engine: it is there soon, and binds no prompt to any of them.
COMMON_SHARE = 0.8
PATIENCE_TOKENS = 768.0
HOME_PIECES = 4  # little enough that questions about one document meet

Costs = Mapping[str, Cost]


@base.register("prefix_aware")
class PrefixAware:
    """The longest known prefix that means something wins; any other prompt goes to its rendezvous home.

    A match means something when it reaches into what is the prompt's own, and covers `min_match_share` of the prompt or
    `min_match_pieces` of the own. So does one of what many share, when it does both and is longer than what nearly every
    prompt shares: a document under questions does, a system prompt does not. The home is decided by what the prompt does
    not share with many, so that chats over one system prompt spread, the turns of each meet, and routers that know nothing
    of each other agree. Either gives way to the engine whose first token should come first, what matched counting as cached,
    when it takes longer by more than computing `patience_tokens` does.
    """

    def __init__(
        self,
        min_match_pieces: int = 4,
        min_match_share: float = 0.5,
        patience_tokens: float = PATIENCE_TOKENS,
        pieces_per_engine: int = PIECES_PER_ENGINE,
    ) -> None:
        if min_match_pieces < 1 or not 0.0 <= min_match_share <= 1.0:
            raise ValueError(f"prefix_aware: min_match_pieces {min_match_pieces} must be >= 1, share {min_match_share} from 0 to 1")
        if patience_tokens < 0.0:
            raise ValueError(f"prefix_aware: negative patience_tokens {patience_tokens}")
        self._min_match_pieces = min_match_pieces
        self._min_match_share = min_match_share
        self._patience = patience_tokens
        self._learnt = LearntPrefixes(pieces_per_engine)
        self._crowd = Crowd()

    def choose(self, request: RouteRequest, candidates: Sequence[Engine]) -> Choice:
        """The engine that should hold the longest part of the prompt, or its home. Raises EmptyPoolError."""
        refuse_empty(candidates)
        pieces = request.prefix_hashes
        if not pieces:
            return Choice(least_loaded(candidates, request.sequence).name, reason="short_prompt")
        matched = {engine.name: self._matched(engine.name, request) for engine in candidates}
        shared = self._crowd.shared(pieces)
        common = self._crowd.shared(pieces[:shared], COMMON_SHARE)
        key = _key(request, shared)
        if self._counts(max(matched.values()), shared, common, len(pieces)):
            preferred, reason = _longest(candidates, matched, key), "longest_prefix"
        elif key is None:
            preferred, reason = least_loaded(candidates, request.sequence), "shared_prefix"
        else:
            preferred, reason = rendezvous.home(key, candidates), "shared_prefix" if shared else "new_prefix"
        piece = request.prompt_tokens / len(pieces)
        held = {name: int(max(count, common) * piece) for name, count in matched.items()}  # what nearly all share is everywhere
        costs = {e.name: computing(request, e, max(request.prompt_tokens - held[e.name], 0)) for e in candidates}
        chosen, reason = self._weighed(preferred, reason, candidates, key, costs)
        return Choice(
            chosen.name,
            reason=reason,
            scores={name: cost._asdict() | {"matched_pieces": float(matched[name])} for name, cost in costs.items()},
            expected_cached_tokens=held[chosen.name],
            predicted_ttft_s=costs[chosen.name].ttft_s,
            ranked_by=RANKED_BY,
        )

    def learn(self, request: RouteRequest, choice: Choice, outcome: Outcome) -> None:
        """The engine now holds this prompt's beginning."""
        if request.prefix_hashes:
            self._learnt.learn(choice.engine, request.prefix_hashes, request.now)
            self._crowd.note(request.prefix_hashes, request.opening_hash)

    def forget(self, engine: str) -> None:
        """Its cache is gone, or the engine is. What prompts share is theirs, and stays known."""
        self._learnt.forget(engine)

    def _matched(self, engine: str, request: RouteRequest) -> int:
        """What the engine was sent before, or is at work on."""
        learnt = self._learnt.matched(engine, request.prefix_hashes, request.now)
        return max(learnt, request.under_way.get(engine, 0))

    def _counts(self, longest: int, shared: int, common: int, pieces: int) -> bool:
        covers = longest >= self._min_match_share * pieces
        if longest > shared:
            return covers or longest - shared >= self._min_match_pieces
        return covers and longest > common and longest >= self._min_match_pieces

    def _weighed(
        self, preferred: Engine, reason: str, candidates: Sequence[Engine], key: int | None, costs: Costs
    ) -> tuple[Engine, str]:
        least = _first(candidates, key, lambda engine: (costs[engine.name].ttft_s, engine.in_flight))
        patience = self._patience / preferred.rates.prefill_tokens_per_s
        if costs[preferred.name].ttft_s - patience > costs[least.name].ttft_s:
            return least, "imbalance"
        return preferred, reason


def _key(request: RouteRequest, shared: int) -> int | None:
    """What decides the prompt's home: its first piece that few others have, or its opening where that ends before.

    Neither changes while a chat grows. While it is not known what others share, the piece is not the very first, which
    could be a system prompt's. None when the prompt has nothing that is not shared.
    """
    pieces = request.prefix_hashes
    if request.opening_hash is not None and request.opening_pieces <= shared:
        return request.opening_hash
    if shared >= len(pieces):
        return None
    fixed = len(pieces) if request.opening_hash is None else min(request.opening_pieces, len(pieces))
    return pieces[max(shared, min(HOME_PIECES, fixed) - 1)]


def _longest(candidates: Sequence[Engine], matched: Mapping[str, int], key: int | None) -> Engine:
    return _first(candidates, key, lambda engine: (-matched[engine.name], engine.in_flight))


def _first(candidates: Sequence[Engine], key: int | None, rank: Callable[[Engine], tuple[float, int]]) -> Engine:
    """The engine of the lowest rank; among equals the prompt's home, or the last by name where it has none."""
    ranks = [rank(engine) for engine in candidates]
    lowest = min(ranks)
    equals = [engine for engine, own in zip(candidates, ranks, strict=True) if own == lowest]
    if key is None:
        return max(equals, key=lambda engine: engine.name)
    return equals[0] if len(equals) == 1 else rendezvous.home(key, equals)
