"""Send a prompt where its beginning was sent before: no tokenizer, and no word from the engines, is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stack.cache.learnt import PIECES_PER_ENGINE, LearntPrefixes
from stack.fleet.engine import Engine
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.strategies import base, rendezvous
from stack.strategies.load import ImbalanceGuard, least_loaded, refuse_empty


@base.register("prefix_aware")
class PrefixAware:
    """The longest known prefix wins, among equals the less loaded; a new prefix goes to its rendezvous home.

    A match counts from `min_match_pieces` on. The guard lets go of an affinity that would pile requests up: without
    one, a system prompt that all clients share would send everything to one engine. `home_pieces` is how much of an
    unknown prompt decides its home: little enough that prompts over one document meet.
    """

    def __init__(
        self,
        min_match_pieces: int = 1,
        home_pieces: int = 4,
        pieces_per_engine: int = PIECES_PER_ENGINE,
        imbalance_limit: int = 8,
        imbalance_ratio: float = 1.5,
    ) -> None:
        if min_match_pieces < 1 or home_pieces < 1:
            raise ValueError(f"prefix_aware: min_match_pieces {min_match_pieces} and home_pieces {home_pieces} must be >= 1")
        self._min_match = min_match_pieces
        self._home_pieces = home_pieces
        self._guard = ImbalanceGuard(imbalance_limit, imbalance_ratio)
        self._learnt = LearntPrefixes(pieces_per_engine)

    def choose(self, request: RouteRequest, candidates: Sequence[Engine]) -> Choice:
        """The engine that should hold the longest part of the prompt. Raises EmptyPoolError."""
        refuse_empty(candidates)
        if not request.prefix_hashes:
            return Choice(least_loaded(candidates, request.sequence).name, reason="short_prompt")
        matched = {engine.name: self._learnt.matched(engine.name, request.prefix_hashes) for engine in candidates}
        chosen, reason = self._preferred(request, candidates, matched)
        if self._guard.trips(chosen, candidates):
            chosen, reason = least_loaded(candidates, request.sequence), "imbalance"
        return Choice(chosen.name, reason=reason, scores=_scores(candidates, matched))

    def learn(self, request: RouteRequest, choice: Choice) -> None:
        """The engine now holds this prompt's beginning."""
        if request.prefix_hashes:
            self._learnt.learn(choice.engine, request.prefix_hashes)

    def forget(self, engine: str) -> None:
        """Its cache is gone, or the engine is."""
        self._learnt.forget(engine)

    def _preferred(self, request: RouteRequest, candidates: Sequence[Engine], matched: Mapping[str, int]) -> tuple[Engine, str]:
        key = request.prefix_hashes[: self._home_pieces][-1]
        if max(matched.values()) < self._min_match:
            return rendezvous.home(key, candidates), "new_prefix"

        def merit(engine: Engine) -> tuple[int, int, int, str]:
            return matched[engine.name], -engine.in_flight, rendezvous.weight(key, engine.name), engine.name

        return max(candidates, key=merit), "longest_prefix"


def _scores(candidates: Sequence[Engine], matched: Mapping[str, int]) -> dict[str, dict[str, float]]:
    return {
        engine.name: {"matched_pieces": float(matched[engine.name]), "in_flight": float(engine.in_flight)} for engine in candidates
    }
