"""How fast one engine is, as far as a prediction needs it."""

from __future__ import annotations

import msgspec


class Rates(msgspec.Struct, frozen=True, gc=False):
    """What stands between a request and its first token on one engine: seconds, and tokens a second.

    `overhead_s` passes even on an idle engine with everything cached; `running_s` is what each other request under way adds.
    """

    overhead_s: float
    running_s: float
    prefill_tokens_per_s: float
    l1_tokens_per_s: float
    l2_tokens_per_s: float

    def __post_init__(self) -> None:
        if not self.prefill_tokens_per_s > 0.0 or not self.l2_tokens_per_s > 0.0 or not self.l1_tokens_per_s > 0.0:
            raise ValueError(f"rates must be positive: {self}")
        if self.overhead_s <= 0.0 or self.running_s <= 0.0:
            raise ValueError(f"times must be positive: {self}")


# Where nothing has been learnt yet, between two corners. Measured: a 135M model on one CPU core computes 640 tokens a
# second and loads 22,000 from shared memory, 11,000 from a local Redis. Estimated from bandwidths: a 70B model on eight
# GPUs computes 22,000, and takes 100,000 or more over PCIe, 30,000 to 60,000 over the network. What decides is how the
# rates stand to each other; the scale is learnt from the first few requests.
PROFILE = Rates(overhead_s=0.01, running_s=0.0005, prefill_tokens_per_s=10_000, l1_tokens_per_s=100_000, l2_tokens_per_s=33_000)
