"""How the choice of the engine that computed the prompt turned out: what records tell, and metrics count."""

from __future__ import annotations

from stack.model.plan import Choice
from stack.router.errand import Errand
from stack.strategies.shadow import regret


def regret_tokens(errand: Errand) -> int | None:
    """Tokens that the best candidate was believed to hold beyond what the chosen one was; None when nothing was known."""
    placement = errand.route.placement
    if not placement.engines:
        return None
    computing = errand.computing
    return regret(placement, computing.candidates, computing.choice.engine)


def index_error_tokens(errand: Errand) -> int | None:
    """Cached tokens predicted minus measured; a tier that nobody can tell about makes a lower bound, which is no prediction."""
    choice, computed_by, measured = errand.plan.prefill, errand.prefill_engine, errand.remote_cached_tokens
    if choice is None:
        choice, computed_by, measured = errand.plan.decode, errand.engine, errand.facts.cached_tokens
    expected = choice.expected_cached_tokens
    held = errand.route.placement.engines.get(choice.engine)
    if held is not None:
        expected = held.cached_tokens if held.certain else None
    return None if measured is None or expected is None or choice.engine != computed_by else expected - measured


def engine_ttft_seconds(errand: Errand) -> float | None:
    """From handing the request to the chosen engine to its first token: as seen here, else as the engine says."""
    if not _as_planned(errand, _choice(errand)):
        return None
    timeline = errand.timeline
    if errand.plan.prefill is None:
        sent, first, said = timeline.decode_sent, timeline.first_token, errand.facts
    else:
        sent, first, said = timeline.prefill_sent, timeline.prefill_answered, errand.prefill_facts
    if sent is not None and first is not None:
        return first - sent
    return said.ttft_s


def ttft_error_seconds(errand: Errand) -> float | None:
    """The predicted time to the first token minus the measured one."""
    expected = _choice(errand).predicted_ttft_s
    if expected is None or (seconds := engine_ttft_seconds(errand)) is None:
        return None
    return expected - seconds


def _choice(errand: Errand) -> Choice:
    plan = errand.plan
    return plan.decode if plan.prefill is None else plan.prefill


def _as_planned(errand: Errand, choice: Choice) -> bool:
    """The engine that was chosen to compute the prompt did so."""
    return choice.engine == (errand.engine if errand.plan.prefill is None else errand.prefill_engine)
