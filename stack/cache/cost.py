"""When one engine would give a prompt's first token: what is queued before it, computed for it, and loaded for it."""

from __future__ import annotations

from typing import NamedTuple

from stack.model.load import Queue
from stack.model.rates import Rates


class Cost(NamedTuple):
    """Seconds until the first token, by what they go to; `ttft_s` is all of it: the parts come one after the other."""

    overhead_s: float
    queue_s: float
    compute_s: float
    load_s: float
    ttft_s: float


def ahead(queue: Queue, rates: Rates, now: float) -> float:
    """Prompt tokens the engine still has to compute for requests sent before.

    It has been at work on the first of them, at its rate, but cannot be done with it: that one would have a token by now.
    """
    done = min((now - queue.since) * rates.prefill_tokens_per_s, queue.head)
    return max(queue.tokens - max(done, 0.0), 0.0)


def cost(compute: float, l1: float, l2: float, queue: Queue, in_flight: int, rates: Rates, now: float) -> Cost:
    """What a prompt waits for of which so many tokens are to be computed, and so many to be loaded from each tier."""
    rate = rates.prefill_tokens_per_s
    overhead = rates.overhead_s + rates.running_s * in_flight
    queued = ahead(queue, rates, now) / rate if queue.tokens else 0.0
    load = l1 / rates.l1_tokens_per_s + l2 / rates.l2_tokens_per_s if l1 or l2 else 0.0
    return Cost(overhead, queued, compute / rate, load, overhead + queued + compute / rate + load)
