"""Learns how fast each engine is from what its requests really took."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

import msgspec

from stack.model.rates import Rates

# A fifth of what a request's time differed from its prediction is taken over: some ten requests to learn an engine, and
# one that was held up by something else moves it little.
STEP = 0.2
# How far an engine may be from the profile: from a laptop's core to the largest machines.
BOUND = 100.0
# A part counts as learnt when so many requests' worth of time went to it.
ENOUGH = 5.0


class Part(StrEnum):
    """What a first token waits for; each has a rate or a time of its own."""

    OVERHEAD = "overhead"
    RUNNING = "running"
    PREFILL = "prefill"
    L1 = "l1"
    L2 = "l2"


class Observation(msgspec.Struct, frozen=True, gc=False):
    """One request at one engine: what stood between it and its first token, and how long that took."""

    seconds: float
    computed_tokens: float  # those queued before it, and its own
    l1_tokens: float = 0.0
    l2_tokens: float = 0.0
    in_flight: int = 0


class _Learnt:
    """One engine's factors on the profile's seconds, and how much time went to each part, in the order of Part."""

    __slots__ = ("factors", "rates", "weights")

    def __init__(self, rates: Rates) -> None:
        self.factors = [1.0] * len(Part)
        self.weights = [0.0] * len(Part)
        self.rates = rates


class RateBook:
    """Rates by engine: a profile's until requests have shown otherwise.

    Each request corrects the parts its time went to, in proportion (normalised least mean squares, Widrow and Hoff 1960, over
    the profile's seconds of each part), by a fifth of the error and never by more than the whole prediction: what is wrong by
    a factor is learnt in some ten requests, and an outlier does no lasting harm.
    """

    def __init__(self, profile: Rates) -> None:
        self._profile = profile
        self._engines: dict[str, _Learnt] = {}
        self.changed: set[str] = set()
        """Engines whose rates are others than when whoever keeps account of that last cleared this set."""

    def of(self, engine: str) -> Rates:
        """The engine's rates, the profile's where nothing was learnt."""
        learnt = self._engines.get(engine)
        return self._profile if learnt is None else learnt.rates

    def learn(self, engine: str, seen: Observation) -> None:
        """Take in what one request took. Nonsense (no time, no work) is passed over."""
        if not 0.0 < seen.seconds < math.inf:
            return
        learnt = self._engines.get(engine)
        if learnt is None:
            learnt = self._engines[engine] = _Learnt(self._profile)
        factors, weights = learnt.factors, learnt.weights
        size = predicted = 0.0
        for factor, amount in zip(factors, seconds := self._seconds(seen), strict=True):
            size += amount * amount
            predicted += factor * amount
        step = STEP * min(seen.seconds - predicted, predicted) / size
        for place, amount in enumerate(seconds):
            if amount > 0.0:
                factors[place] = min(max(factors[place] + step * amount, 1 / BOUND), BOUND)
                weights[place] += amount * amount / size
        learnt.rates = self._rates(factors)
        self.changed.add(engine)

    def forget(self, engine: str) -> None:
        """The engine left, or is another process now."""
        self._engines.pop(engine, None)
        self.changed.add(engine)

    def learnt(self, engine: str) -> dict[Part, float]:
        """What requests have shown of an engine: seconds, or tokens a second; parts that none has shown are missing."""
        known = self._engines.get(engine)
        if known is None:
            return {}
        rates = known.rates
        values = (
            rates.overhead_s,
            rates.running_s,
            rates.prefill_tokens_per_s,
            rates.l1_tokens_per_s,
            rates.l2_tokens_per_s,
        )
        return {part: value for part, value, weight in zip(Part, values, known.weights, strict=True) if weight >= ENOUGH}

    def _seconds(self, seen: Observation) -> tuple[float, ...]:
        """What each part would have taken by the profile."""
        profile = self._profile
        return (
            profile.overhead_s,
            profile.running_s * seen.in_flight,
            seen.computed_tokens / profile.prefill_tokens_per_s,
            seen.l1_tokens / profile.l1_tokens_per_s,
            seen.l2_tokens / profile.l2_tokens_per_s,
        )

    def _rates(self, factors: Sequence[float]) -> Rates:
        profile = self._profile
        overhead, running, prefill, l1, l2 = factors
        return Rates(
            overhead_s=profile.overhead_s * overhead,
            running_s=profile.running_s * running,
            prefill_tokens_per_s=profile.prefill_tokens_per_s / prefill,
            l1_tokens_per_s=profile.l1_tokens_per_s / l1,
            l2_tokens_per_s=profile.l2_tokens_per_s / l2,
        )
