"""What tokens cost: engines that were ready, at what their GPUs cost an hour, over the tokens that were served meanwhile."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import msgspec

from stack.control.estimate import FEW
from stack.control.readiness import Readiness
from stack.control.sample import Answer, Sample
from stack.control.state import ModelState, PoolState
from stack.model.tier import Pool

HOUR, MILLION = 3_600.0, 1e6


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """`per_million_tokens` of prompts and answers together, in the currency of the prices; None where `unknown` says why.

    `engine_hours` are those of ready engines by pool, whatever they were busy with: the same fleet costs less a token the more
    comes. `tokens` are those of given answers and their prompts, cached or not.
    """

    per_million_tokens: float | None = None
    engine_hours: Mapping[Pool, float] = {}
    tokens: int | None = None
    unknown: str | None = None


UNPRICED = Cost(unknown="no gpu_hour_price is configured")


@dataclass(frozen=True, slots=True)
class Prices:
    """What an engine of each pool costs an hour; None where no price is configured."""

    engine_hour: Mapping[Pool, float | None]

    @classmethod
    def of(cls, state: ModelState) -> Prices:
        """As `state` has them."""
        return cls({pool: _engine_hour(state.pools.of(pool)) for pool in Pool})


def unpriced(state: ModelState) -> ModelState:
    """`state` without what nothing but reports go by."""
    bare = {pool.value: msgspec.structs.replace(state.pools.of(pool), gpu_hour_price=None, gpus_per_engine=1) for pool in Pool}
    return msgspec.structs.replace(state, pools=msgspec.structs.replace(state.pools, **bare))


def cost(samples: Collection[Sample], prices: Prices, readiness: Readiness) -> Cost:
    """Of all that was served from the first of `samples` to the last, or the later part during which readiness was known."""
    if all(price is None for price in prices.engine_hour.values()):
        return UNPRICED
    until = max((one.at for one in samples), default=0.0)
    known = readiness.known_since(until)
    counted = [one for one in samples if known is not None and one.at >= known]
    if len(counted) < FEW:
        while_known = "" if len(counted) == len(samples) else " while it was known how many engines were ready"
        return Cost(unknown=f"too few samples{while_known}: {len(counted)} of at least {FEW}")
    since = min(one.at for one in counted)
    hours = {pool: (readiness.engine_seconds(pool, since, until) or 0.0) / HOUR for pool in Pool}
    unpriced_pools = [pool.value for pool, spent in hours.items() if spent and prices.engine_hour[pool] is None]
    if unpriced_pools:
        return Cost(engine_hours=hours, unknown=f"no gpu_hour_price is configured for {', '.join(unpriced_pools)}")
    tokens = _tokens(counted)
    if not tokens:
        why = "some answers do not tell how many tokens they had" if tokens is None else "no token was served"
        return Cost(engine_hours=hours, tokens=tokens, unknown=why)
    money = sum(spent * (prices.engine_hour[pool] or 0.0) for pool, spent in hours.items())
    return Cost(per_million_tokens=money / tokens * MILLION, engine_hours=hours, tokens=tokens)


def _engine_hour(pool: PoolState) -> float | None:
    return None if pool.gpu_hour_price is None else pool.gpu_hour_price * pool.gpus_per_engine


def _tokens(samples: Collection[Sample]) -> int | None:
    """None when an answer was given that does not tell its tokens: what it cost would fall on the others."""
    given = [one for one in samples if one.answer is Answer.GIVEN]
    outputs = [one.output_tokens for one in given if one.output_tokens is not None]
    return None if len(outputs) < len(given) else sum(outputs) + sum(one.prompt_tokens for one in given)
