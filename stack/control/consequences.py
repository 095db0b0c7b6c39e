"""What follows from a change of one model's state, as effects in the order in which people read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stack.control.choosing_effects import ChangeSessionKeys, SwitchFallback, SwitchStrategy
from stack.control.dpd_effects import ChangeMinUncached, ChangeThreshold, SwitchDpd, SwitchProtocol
from stack.control.drained import draining_effects
from stack.control.effects import (
    ChangeLimits,
    ChangeShadowShare,
    Effect,
    SwitchStalledEjection,
)
from stack.control.leaving import present
from stack.control.machinery import Machinery
from stack.control.members import Member
from stack.control.parameters import changed
from stack.control.pool_effects import ChangeBounds, ChangeDrainTime, ChangePrice
from stack.control.scaling import check_room, scaling
from stack.control.state import ModelState, PoolState
from stack.control.warmth import warmth
from stack.engines.pd.base import DEFAULT, link
from stack.model.tier import Pool


def consequences(
    model: str, before: ModelState, after: ModelState, members: Sequence[Member], machinery: Machinery
) -> Iterator[Effect]:
    """Every effect that the change of `model` has on the fleet of `members`, whose drained engines are those of `after`.

    Raises RefusedError for what no fleet like this one can bear.
    """
    for pool in Pool:
        old, new = _strategy(before, pool), _strategy(after, pool)
        if old != new:
            yield SwitchStrategy(model, pool, old, new, warmth(new, after.fallback_strategy, present(members, model, pool)))
    if before.fallback_strategy != after.fallback_strategy:
        yield SwitchFallback(model, before.fallback_strategy, after.fallback_strategy)
    if before.session_keys != after.session_keys:
        yield ChangeSessionKeys(model, after.session_keys)
    if before.dpd.enabled != after.dpd.enabled:
        yield SwitchDpd(model, after.dpd.enabled, after.dpd.routing_threshold)
    if _protocols(before) != _protocols(after):
        refusal = link(after.pools.prefill.protocol, after.pools.decode.protocol).refusal
        yield SwitchProtocol(model, _protocols(before), _protocols(after), refusal)
    if before.dpd.routing_threshold != after.dpd.routing_threshold:
        yield ChangeThreshold(model, before.dpd.routing_threshold, after.dpd.routing_threshold, after.dpd.enabled)
    if before.dpd.min_uncached_tokens != after.dpd.min_uncached_tokens:
        yield ChangeMinUncached(model, before.dpd.min_uncached_tokens, after.dpd.min_uncached_tokens, after.dpd.enabled)
    if before.limits != after.limits:
        yield ChangeLimits(model, before.limits.words, after.limits.words)
    if before.shadow_share != after.shadow_share:
        yield ChangeShadowShare(model, before.shadow_share, after.shadow_share)
    if before.eject_stalled != after.eject_stalled:
        yield SwitchStalledEjection(model, after.eject_stalled)
    yield from draining_effects(model, before, after, members)
    check_room(model, before.pools, after.pools, members, machinery)
    for pool in Pool:
        acting = (_strategy(after, pool), after.fallback_strategy)
        yield from changed(model, pool, before.pools.of(pool).parameters, after.pools.of(pool).parameters, acting)
        yield from _rules(model, pool, before.pools.of(pool), after.pools.of(pool))
    yield from scaling(model, before.pools, after.pools, members, machinery)


def _rules(model: str, pool: Pool, before: PoolState, after: PoolState) -> Iterator[Effect]:
    if before.bounds != after.bounds:
        yield ChangeBounds(model, pool, after.bounds.min, after.bounds.max)
    if before.drain_seconds != after.drain_seconds:
        yield ChangeDrainTime(model, pool, before.drain_seconds, after.drain_seconds)
    old, new = (before.gpu_hour_price, before.gpus_per_engine), (after.gpu_hour_price, after.gpus_per_engine)
    if old != new:
        yield ChangePrice(model, pool, old, new)


def _strategy(state: ModelState, pool: Pool) -> str:
    return state.pools.of(pool).strategy or state.strategy


def _protocols(state: ModelState) -> str:
    """What both pools speak, in words: one name where it is one."""
    ends = [pool.protocol or DEFAULT for pool in (state.pools.prefill, state.pools.decode)]
    return " to ".join(dict.fromkeys(ends))
