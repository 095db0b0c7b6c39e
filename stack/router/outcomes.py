"""What a finished errand says about each engine it used."""

from __future__ import annotations

from stack.model.outcome import Outcome
from stack.model.tier import Path
from stack.router.errand import Errand


def answer_outcome(errand: Errand) -> Outcome:
    """The engine that answered. After a prefill leg it computed nothing of the prompt, so it says nothing of how fast it does."""
    timeline, facts = errand.timeline, errand.facts
    if errand.path is Path.DPD:
        return Outcome(output_tokens=facts.completion_tokens)
    return Outcome(
        ttft_seconds=_between(timeline.decode_sent, timeline.first_token),
        queue_seconds=facts.queue_s,
        prefill_seconds=facts.first_token_s,
        prompt_tokens=facts.prompt_tokens,
        cached_tokens=facts.cached_tokens,
        output_tokens=facts.completion_tokens,
        in_flight=errand.in_flight,
    )


def prefill_outcome(errand: Errand) -> Outcome:
    """The prefill engine, whose whole answer is one token."""
    timeline, facts = errand.timeline, errand.prefill_facts
    return Outcome(
        ttft_seconds=_between(timeline.prefill_sent, timeline.prefill_answered),
        queue_seconds=facts.queue_s,
        prefill_seconds=facts.first_token_s,
        prompt_tokens=facts.prompt_tokens,
        cached_tokens=facts.cached_tokens,
        output_tokens=facts.completion_tokens,
        in_flight=errand.prefill_in_flight,
    )


def _between(began: float | None, ended: float | None) -> float | None:
    return None if began is None or ended is None else ended - began
