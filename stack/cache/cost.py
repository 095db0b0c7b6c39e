"""What a cached token still costs, tier by tier, beside computing it anew."""

from __future__ import annotations

from dataclasses import dataclass

from stack.model.placement import EnginePlacement

# The defaults lie between two corners. Measured: a 135M model on one CPU core computes a token in 1.2-1.6 ms, loads it
# from shared memory in 0.03-0.05 ms and from a local Redis in 0.05-0.09 ms, which is 0.03 and 0.06. Estimated from
# bandwidths: a 70B model on eight GPUs computes a token in about 0.05 ms, and its 320 kB come over PCIe in 0.01 ms and
# over a 100 Gbit/s network in 0.03 ms, which is 0.2 and 0.6. A weight that is wrong by a factor of two only matters
# where two engines hold nearly the same.
L1_COST = 0.1
L2_COST = 0.3


@dataclass(frozen=True, slots=True)
class TierCost:
    """Time to make one prompt token's KV usable, as a share of the time to compute it (1.0)."""

    engine: float = 0.0
    l1: float = L1_COST
    l2: float = L2_COST

    def __post_init__(self) -> None:
        if not 0.0 <= self.engine <= self.l1 <= self.l2 <= 1.0:
            raise ValueError(f"tier costs must rise from 0 to 1: engine {self.engine}, l1 {self.l1}, l2 {self.l2}")

    def loading(self, held: EnginePlacement) -> float:
        """Work to bring the cached tokens in, in units of one computed token."""
        return self.engine * held.engine_tokens + self.l1 * (held.l1_tokens or 0) + self.l2 * (held.l2_tokens or 0)

    def computing(self, held: EnginePlacement, prompt_tokens: int) -> float:
        """Tokens left to compute."""
        return float(max(prompt_tokens - held.cached_tokens, 0))
