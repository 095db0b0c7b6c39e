"""Send a prompt where its beginning was sent before: no tokenizer, and no word from the engines, is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Annotated

from msgspec import Meta

from stack.fleet.engine import Engine
from stack.model.plan import Choice
from stack.model.recalled import Recalled
from stack.model.request import RouteRequest
from stack.strategies import base, rendezvous
from stack.strategies.lazy_scores import LazyScores
from stack.strategies.line import SHORTEST, Line
from stack.strategies.load import least_loaded, refuse_empty
from stack.strategies.prediction import TTFT, computing, leading, times

NEW_PREFIX, SHARED_PREFIX = "new_prefix", "shared_prefix"
# Reasons of prompts that went to their home unmatched: of these it is told whether other routers send to the same engines.
HOMEWARD = frozenset({NEW_PREFIX, SHARED_PREFIX})

MIN_MATCH_PIECES, MIN_MATCH_SHARE, PATIENCE_TOKENS = 4, 0.5, 768.0
MinMatchPieces = Annotated[int, Meta(ge=1, le=10_000, description="a match counts that covers so many pieces of the prompt's own")]
MinMatchShare = Annotated[float, Meta(ge=0, le=1, description="or this share of the prompt")]
PatienceTokens = Annotated[
    float,
    Meta(ge=0, le=1_000_000, description="another engine is chosen where it is sooner by more than computing so many tokens"),
]

HOME_PIECES = 4  # little enough that questions about one document meet

# Where other routers send to the same engines.
OTHERS_PATIENCE = 6.0  # times as much
OTHERS_HOMES = 3

_NOWHERE: tuple[int, Set[str]] = 0, frozenset()


@base.register("prefix_aware")
class PrefixAware:
    """The longest known prefix that means something wins; any other prompt goes to its rendezvous home.

    A match means something when it reaches into what is the prompt's own, and covers `min_match_share` of the prompt or
    `min_match_pieces` of the own. So does one of what many share, when it does both and is longer than what nearly every
    prompt shares (which counts as held by every engine): a document under questions does, a system prompt does not. The home
    is decided by what the prompt does not share with many, so that chats over one system prompt spread, the turns of each
    meet, and routers that know nothing of each other agree. Either gives way to the engine whose first token should come
    first, what matched counting as cached, when it takes longer by more than computing `patience_tokens` does.
    """

    def __init__(
        self,
        min_match_pieces: MinMatchPieces = MIN_MATCH_PIECES,
        min_match_share: MinMatchShare = MIN_MATCH_SHARE,
        patience_tokens: PatienceTokens = PATIENCE_TOKENS,
    ) -> None:
        self._min_match_pieces = min_match_pieces
        self._min_match_share = min_match_share
        self._patience = patience_tokens

    def choose(self, request: RouteRequest, candidates: Sequence[Engine]) -> Choice:
        """The engine that should hold the longest part of the prompt, or its home. Raises EmptyPoolError."""
        pieces, recalled = request.prefix_hashes, request.recalled
        if not pieces or not candidates:
            refuse_empty(candidates)
            return Choice(least_loaded(candidates, request.sequence).name, "short_prompt")
        line = Line.of(candidates)
        deepest, holders = _deepest(recalled, line) if recalled.runs else _NOWHERE
        if holders and self._counts(deepest, recalled, len(pieces)):
            equals = [line[line.places[name]] for name in holders]
            preferred, reason = equals[0] if len(equals) == 1 else _first(equals, request), "longest_prefix"
        elif (key := _key(request)) is None:
            preferred, reason = least_loaded(candidates, request.sequence), "shared_prefix"
        else:
            preferred, reason = rendezvous.home(key, line), SHARED_PREFIX if recalled.shared else NEW_PREFIX
        weighed: Sequence[Engine] = line
        patience = self._patience
        if recalled.others or len(line) > SHORTEST:
            weighed, patience = self._weighed(request, line, preferred)
        held = _held(request, weighed)
        seconds = times(request, weighed, held)
        place, soonest = line.places[preferred.name] if weighed is line else _place(weighed, preferred), min(seconds)
        if seconds[place] - patience / preferred.rates.prefill_tokens_per_s > soonest:
            place, reason = _place(weighed, _soonest(weighed, seconds, soonest, request)), "imbalance"
        return Choice(
            weighed[place].target.replica,
            reason,
            LazyScores(_scores, request, weighed, held),
            expected_cached_tokens=held[place],
            predicted_ttft_s=seconds[place],
            ranked_by=TTFT,
        )

    def _weighed(self, request: RouteRequest, line: Line, preferred: Engine) -> tuple[Sequence[Engine], float]:
        """The candidates that may be better than the preferred one, and by how many tokens they have to be.

        All, or of many those with little to do. Where other routers send to the same engines, what is known here of these
        engines' work is a part of it, and none of the others finds what was sent elsewhere: then it is the prompt's next homes.
        """
        recalled = request.recalled
        if not recalled.others or (key := _key(request)) is None:
            return line if len(line) <= SHORTEST else _some(line, recalled, preferred, line.shortest), self._patience
        patience = self._patience * OTHERS_PATIENCE
        if len(line) <= OTHERS_HOMES:
            return line, patience
        return _some(line, recalled, preferred, rendezvous.first(key, line, OTHERS_HOMES)), patience

    def _counts(self, longest: int, recalled: Recalled, pieces: int) -> bool:
        covers = longest >= self._min_match_share * pieces
        if longest > recalled.shared:
            return covers or longest - recalled.shared >= self._min_match_pieces
        return covers and longest > recalled.common and longest >= self._min_match_pieces


def _deepest(recalled: Recalled, line: Line) -> tuple[int, Set[str]]:
    """The most leading pieces that any candidate was sent, and the names of those that were."""
    for depth, engines in recalled.runs:
        there = engines & line.places.keys()
        if there:
            return depth, there
    return _NOWHERE


def _some(line: Line, recalled: Recalled, preferred: Engine, more: Sequence[Engine]) -> list[Engine]:
    """The preferred engine, some that were sent most of the prompt, and `more`."""
    some = {preferred.name: preferred}
    for _, engines in recalled.runs:
        if len(some) + len(engines) > 2 * SHORTEST:  # what so many hold, some of `more` hold as well
            break
        some.update({name: line[line.places[name]] for name in engines & line.places.keys()})
    some.update({engine.name: engine for engine in more})
    return list(some.values())


def _held(request: RouteRequest, engines: Sequence[Engine]) -> list[int]:
    """How many of the prompt's tokens each of `engines` should hold. What nearly all prompts share is everywhere."""
    common, runs = request.recalled.common, request.recalled.runs
    everywhere = leading(request, common) if common else 0
    if not runs:
        return [everywhere] * len(engines)
    held = {name: leading(request, depth) for depth, sent in runs if depth > common for name in sent}
    return [held.get(engine.target.replica, everywhere) for engine in engines]


def _scores(request: RouteRequest, engines: Sequence[Engine], held: Sequence[int]) -> dict[str, Mapping[str, float]]:
    scores: dict[str, Mapping[str, float]] = {}
    for engine, own in zip(engines, held, strict=True):
        cost = computing(request, engine, max(request.prompt_tokens - own, 0))
        scores[engine.name] = cost._asdict() | {"matched_pieces": float(request.recalled.depth(engine.name))}
    return scores


def _key(request: RouteRequest) -> int | None:
    """What decides the prompt's home: its first piece that few others have, or its opening where that ends before.

    Neither changes while a chat grows. While it is not known what others share, the piece is not the very first, which
    could be a system prompt's. None when the prompt has nothing that is not shared.
    """
    pieces, shared = request.prefix_hashes, request.recalled.shared
    if request.opening_hash is not None and request.opening_pieces <= shared:
        return request.opening_hash
    if shared >= len(pieces):
        return None
    fixed = len(pieces) if request.opening_hash is None else min(request.opening_pieces, len(pieces))
    return pieces[max(shared, min(HOME_PIECES, fixed) - 1)]


def _place(engines: Sequence[Engine], chosen: Engine) -> int:
    return next(place for place, engine in enumerate(engines) if engine is chosen)


def _soonest(engines: Sequence[Engine], seconds: Sequence[float], soonest: float, request: RouteRequest) -> Engine:
    return _first([engine for engine, its in zip(engines, seconds, strict=True) if its == soonest], request)


def _first(engines: Sequence[Engine], request: RouteRequest) -> Engine:
    """The least loaded one; among equals the prompt's home, or the last by name where it has none."""
    if len(engines) == 1:
        return engines[0]
    lowest = min([engine.in_flight for engine in engines])
    equals = [engine for engine in engines if engine.in_flight == lowest]
    if len(equals) == 1:
        return equals[0]
    key = _key(request)
    return max(equals, key=lambda engine: engine.name) if key is None else rendezvous.home(key, equals)
