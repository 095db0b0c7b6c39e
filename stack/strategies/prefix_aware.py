"""Send a prompt where its beginning was sent before: no tokenizer, and no word from the engines, is needed."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from functools import partial

from stack.cache.crowd import Crowd
from stack.cache.learnt import PIECES_PER_ENGINE, LearntPrefixes
from stack.fleet.engine import Engine
from stack.model.outcome import Outcome
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.strategies import base, rendezvous
from stack.strategies.lazy_scores import LazyScores
from stack.strategies.load import least_loaded, refuse_empty
from stack.strategies.prediction import RANKED_BY, computing, times

# What so many of the prompts share counts as held by every engine: it is there soon, and binds no prompt to any of them.
COMMON_SHARE = 0.8
PATIENCE_TOKENS = 768.0
HOME_PIECES = 4  # little enough that questions about one document meet

SCORED = 16  # beside the chosen one: the scores of hundreds would outweigh all else


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
        matched = self._matched(request, candidates)
        shared = self._crowd.shared(pieces)
        common = self._crowd.shared(pieces[:shared], COMMON_SHARE) if shared else 0
        key = _key(request, shared)
        if self._counts(max(matched), shared, common, len(pieces)):
            preferred, reason = _longest(candidates, matched, key), "longest_prefix"
        elif key is None:
            preferred, reason = least_loaded(candidates, request.sequence), "shared_prefix"
        else:
            preferred, reason = rendezvous.home(key, candidates), "shared_prefix" if shared else "new_prefix"
        piece = request.prompt_tokens / len(pieces)
        held = [int(max(count, common) * piece) for count in matched]  # what nearly all share is everywhere
        work = [max(request.prompt_tokens - own, 0) for own in held]
        seconds = times(request, candidates, work)
        place, soonest = _place(candidates, preferred), min(seconds)
        if seconds[place] - self._patience / preferred.rates.prefill_tokens_per_s > soonest:
            place, reason = _place(candidates, _soonest(candidates, seconds, soonest, key)), "imbalance"
        return Choice(
            candidates[place].name,
            reason=reason,
            scores=LazyScores(partial(_scores, request, candidates, matched, work, seconds, place)),
            expected_cached_tokens=held[place],
            predicted_ttft_s=seconds[place],
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

    def _counts(self, longest: int, shared: int, common: int, pieces: int) -> bool:
        covers = longest >= self._min_match_share * pieces
        if longest > shared:
            return covers or longest - shared >= self._min_match_pieces
        return covers and longest > common and longest >= self._min_match_pieces

    def _matched(self, request: RouteRequest, candidates: Sequence[Engine]) -> list[int]:
        """What each engine was sent before, or is at work on."""
        depths = self._learnt.depths(request.prefix_hashes, request.now)
        for engine, pieces in request.under_way.items():
            depths[engine] = max(pieces, depths.get(engine, 0))
        if not depths:
            return [0] * len(candidates)
        return [depths.get(engine.target.replica, 0) for engine in candidates]


def _shown(seconds: Sequence[float], place: int) -> list[int]:
    """Which candidates a choice shows: the chosen one and the soonest, all of them where they are few."""
    if len(seconds) <= SCORED:
        return list(range(len(seconds)))
    return list({place: None, **dict.fromkeys(heapq.nsmallest(SCORED, range(len(seconds)), key=seconds.__getitem__))})


def _scores(
    request: RouteRequest,
    candidates: Sequence[Engine],
    matched: Sequence[int],
    work: Sequence[float],
    seconds: Sequence[float],
    chosen: int,
) -> dict[str, Mapping[str, float]]:
    scores: dict[str, Mapping[str, float]] = {}
    for place in _shown(seconds, chosen):
        cost = computing(request, candidates[place], work[place])
        scores[candidates[place].name] = cost._asdict() | {"matched_pieces": float(matched[place])}
    return scores


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


def _place(candidates: Sequence[Engine], chosen: Engine) -> int:
    return next(place for place, engine in enumerate(candidates) if engine is chosen)


def _longest(candidates: Sequence[Engine], matched: Sequence[int], key: int | None) -> Engine:
    longest = max(matched)
    best = [engine for engine, pieces in zip(candidates, matched, strict=True) if pieces == longest]
    return best[0] if len(best) == 1 else _first(best, key)


def _soonest(candidates: Sequence[Engine], seconds: Sequence[float], soonest: float, key: int | None) -> Engine:
    best = [engine for engine, its in zip(candidates, seconds, strict=True) if its == soonest]
    return best[0] if len(best) == 1 else _first(best, key)


def _first(candidates: Sequence[Engine], key: int | None) -> Engine:
    """The least loaded one; among equals the prompt's home, or the last by name where it has none."""
    lowest = min([engine.in_flight for engine in candidates])
    equals = [engine for engine in candidates if engine.in_flight == lowest]
    if key is None:
        return max(equals, key=lambda engine: engine.name)
    return equals[0] if len(equals) == 1 else rendezvous.home(key, equals)
