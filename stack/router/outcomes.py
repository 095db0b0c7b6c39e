"""What a finished errand says about each engine it used."""

from __future__ import annotations

from collections.abc import Sequence

from stack.cache.cost import ahead
from stack.cache.rates import Observation
from stack.engines.answer_facts import AnswerFacts
from stack.fleet.engine import Engine
from stack.model.outcome import UNKNOWN_OUTCOME, Outcome
from stack.model.plan import Choice
from stack.model.request import RouteRequest
from stack.model.tier import Path
from stack.router.errand import Errand


def answer_outcome(errand: Errand) -> Outcome:
    """The engine that answered. After a prefill leg it computed nothing of the prompt, so it says nothing of how fast it does."""
    if errand.path is Path.DPD:
        return UNKNOWN_OUTCOME
    seconds = _between(errand.timeline.decode_sent, errand.timeline.first_token)
    return _outcome(errand.facts, seconds)


def prefill_outcome(errand: Errand) -> Outcome:
    """The prefill engine, whose whole answer is one token."""
    seconds = _between(errand.timeline.prefill_sent, errand.timeline.prefill_answered)
    return _outcome(errand.prefill_facts, seconds)


def observation(choice: Choice, candidates: Sequence[Engine], request: RouteRequest, outcome: Outcome) -> Observation | None:
    """What an outcome shows of the chosen engine's rates; None when its time or where its cached tokens were is not known.

    The engine is seen as it was chosen, one of `candidates`. How the cached tokens lay in the tiers is the placement's
    prediction: engines tell one number.
    """
    seconds, cached = outcome.ttft_seconds, outcome.cached_tokens
    if seconds is None and outcome.queue_seconds is not None and outcome.prefill_seconds is not None:
        seconds = outcome.queue_seconds + outcome.prefill_seconds
    if seconds is None or cached is None:
        return None
    chosen = next((engine for engine in candidates if engine.target.replica == choice.engine), None)
    held = request.placement.engines.get(choice.engine)
    own = cached if held is None else min(held.engine_tokens, cached)
    l1 = 0 if held is None else min(held.l1_tokens or 0, cached - own)
    l2 = 0 if held is None else min(held.l2_tokens or 0, cached - own - l1)
    if chosen is None or (held is not None and not held.certain and cached > own + l1 + l2):
        return None
    prompt = request.prompt_tokens if outcome.prompt_tokens is None else outcome.prompt_tokens
    waited_for = ahead(chosen.queue, chosen.rates, request.now)
    return Observation(seconds, waited_for + max(prompt - cached, 0), l1, l2, chosen.in_flight)


def _outcome(facts: AnswerFacts, ttft_seconds: float | None) -> Outcome:
    return Outcome(
        ttft_seconds=ttft_seconds,
        queue_seconds=facts.queue_s,
        prefill_seconds=facts.first_token_s,
        prompt_tokens=facts.prompt_tokens,
        cached_tokens=facts.cached_tokens,
    )


def _between(began: float | None, ended: float | None) -> float | None:
    return None if began is None or ended is None else ended - began
