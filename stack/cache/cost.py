"""When one engine would give a prompt's first token: what is queued before it, computed for it, and loaded for it."""

from __future__ import annotations

from typing import NamedTuple

from stack.model.load import Queue
from stack.model.placement import EnginePlacement
from stack.model.rates import Rates


class Cost(NamedTuple):
    """Seconds until the first token, by what they go to."""

    overhead_s: float
    running_s: float
    queue_s: float
    compute_s: float
    load_s: float

    @property
    def ttft_s(self) -> float:
        """All of it: the parts come one after the other."""
        return self.overhead_s + self.running_s + self.queue_s + self.compute_s + self.load_s


def ahead(queue: Queue, rates: Rates, now: float) -> float:
    """Prompt tokens the engine still has to compute for requests sent before.

    It has been at work on the first of them, at its rate, but cannot be done with it: that one would have a token by now.
    """
    done = min((now - queue.since) * rates.prefill_tokens_per_s, queue.head)
    return max(queue.tokens - max(done, 0.0), 0.0)


def cost(held: EnginePlacement, prompt_tokens: int, queue: Queue, in_flight: int, rates: Rates, now: float) -> Cost:
    """What a prompt of which `held` is there would wait for on an engine with this queue and these rates.

    What is not known to be in a tier is counted as to be computed.
    """
    compute = max(prompt_tokens - held.cached_tokens, 0) / rates.prefill_tokens_per_s
    load = (held.l1_tokens or 0) / rates.l1_tokens_per_s + (held.l2_tokens or 0) / rates.l2_tokens_per_s
    return Cost(rates.overhead_s, rates.running_s * in_flight, ahead(queue, rates, now) / rates.prefill_tokens_per_s, compute, load)
