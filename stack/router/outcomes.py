"""What a finished errand says about how fast each engine it used is."""

from __future__ import annotations

from stack.cache.cost import ahead
from stack.cache.rates import Observation
from stack.engines.answer_facts import AnswerFacts
from stack.fleet.engine import Engine
from stack.model.request import RouteRequest
from stack.model.tier import Path
from stack.router.errand import Errand
from stack.strategies.prediction import leading
from stack.strategies.prefix_aware import HOME_PIECES, HOMEWARD


def answered(errand: Errand, chosen: Engine) -> Observation | None:
    """Of the engine that answered, as it was chosen. After a prefill leg it computed nothing of the prompt, so it says nothing."""
    if errand.path is Path.DPD:
        return None
    timeline = errand.timeline
    return observation(chosen, errand.route, errand.facts, _between(timeline.decode_sent, timeline.first_token))


def prefilled(errand: Errand, chosen: Engine) -> Observation | None:
    """Of the prefill engine, whose whole answer is one token."""
    timeline = errand.timeline
    return observation(chosen, errand.route, errand.prefill_facts, _between(timeline.prefill_sent, timeline.prefill_answered))


def found(errand: Errand) -> tuple[int, int, int] | None:
    """Of the prompt's tokens, those that the engine was sent before from here, those that it had, and all; None where not told.

    What came from tiers that engines share says nothing of who sent what where.
    """
    cached, route = errand.facts.cached_tokens, errand.route
    if cached is None or errand.prefill_engine is not None or errand.plan.decode.reason not in HOMEWARD:
        return None
    if len(route.prefix_hashes) < HOME_PIECES:  # a block or two of it is anybody's
        return None
    held = errand.held(errand.engine)
    if held is not None:
        cached = min(cached, held.engine_tokens)
    recalled = route.recalled
    return leading(route, max(recalled.depth(errand.engine), recalled.common)), cached, route.prompt_tokens


def observation(chosen: Engine, request: RouteRequest, facts: AnswerFacts, seconds: float | None) -> Observation | None:
    """What an answer shows of the engine's rates; None when its time or where its cached tokens were is not known.

    `chosen` is the engine as it was chosen, `seconds` are those from handing it the request to its first token as seen here;
    None when that was not to be seen: then the engine's own word counts. How the cached tokens lay in the tiers is the
    placement's prediction: engines tell one number.
    """
    cached = facts.cached_tokens
    if seconds is None:
        seconds = facts.ttft_s
    if seconds is None or cached is None:
        return None
    held = request.placement.engines.get(chosen.name)
    own = cached if held is None else min(held.engine_tokens, cached)
    l1 = 0 if held is None else min(held.l1_tokens or 0, cached - own)
    l2 = 0 if held is None else min(held.l2_tokens or 0, cached - own - l1)
    if held is not None and not held.certain and cached > own + l1 + l2:
        return None
    prompt = request.prompt_tokens if facts.prompt_tokens is None else facts.prompt_tokens
    waited_for = ahead(chosen.queue, chosen.rates, request.now)
    return Observation(seconds, waited_for + max(prompt - cached, 0), l1, l2, chosen.in_flight)


def _between(began: float | None, ended: float | None) -> float | None:
    return None if began is None or ended is None else ended - began
