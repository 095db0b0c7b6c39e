"""The one place where a change is judged: a preview and the real thing are the same call."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from stack.control.choosing_effects import ChangeSessionKeys, SwitchFallback, SwitchStrategy
from stack.control.diff import Change, diff
from stack.control.dpd_effects import ChangeMinUncached, ChangeThreshold, SwitchDpd, SwitchProtocol
from stack.control.effects import (
    ChangeLimits,
    ChangeShadowShare,
    Effect,
    GrowPool,
    ShrinkPool,
    SwitchStalledEjection,
)
from stack.control.leaving import draining, leavers, present
from stack.control.members import Member
from stack.control.merge import merge
from stack.control.patch import check, keyed
from stack.control.state import Desired, ModelState
from stack.control.valid import converted, validated
from stack.engines.pd.base import DEFAULT, link
from stack.model.tier import Pool


@dataclass(frozen=True, slots=True)
class Decision:
    """A change that would be fine: what is desired then, field by field and in effect. Nothing differs when `diff` is empty."""

    desired: Desired
    diff: tuple[Change, ...]
    effects: tuple[Effect, ...]


def decide(patch: object, desired: Desired, members: Sequence[Member], strategies: Collection[str]) -> Decision:
    """Merge `patch` into `desired` and judge the result as a whole. Raises RefusedError; changes nothing either way.

    `patch` is decoded JSON, keyed by model or not. `strategies` are the names there are.
    """
    change = keyed(patch, desired)
    check(change, desired)
    merged = merge(msgspec.to_builtins(desired), change)
    assert isinstance(merged, dict)  # a patch that is an object leaves an object
    after = validated(Desired(models={name: converted(name, state) for name, state in merged["models"].items()}), strategies)
    effects = [effect for name, state in after.models.items() for effect in _effects(name, desired.models[name], state, members)]
    return Decision(after, diff(desired, after), tuple(effects))


def _effects(model: str, before: ModelState, after: ModelState, members: Sequence[Member]) -> Iterator[Effect]:
    for pool in Pool:
        old, new = _strategy(before, pool), _strategy(after, pool)
        if old != new:
            yield SwitchStrategy(model, pool, old, new)
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
    for pool in Pool:
        yield from _scaling(model, pool, _replicas(before, pool), _replicas(after, pool), members)


def _scaling(model: str, pool: Pool, before: int, after: int, members: Sequence[Member]) -> Iterator[Effect]:
    here = present(members, model, pool)
    if after > before:
        back = draining(members, model, pool)[: max(0, after - len(here))]
        yield GrowPool(model, pool, after - before, tuple(member.name for member in back[: after - before]))
    elif after < before:
        yield ShrinkPool(model, pool, before - after, tuple(member.name for member in leavers(here, after)))


def _strategy(state: ModelState, pool: Pool) -> str:
    own = state.pools.prefill if pool is Pool.PREFILL else state.pools.decode
    return own.strategy or state.strategy


def _protocols(state: ModelState) -> str:
    """What both pools speak, in words: one name where it is one."""
    ends = [pool.protocol or DEFAULT for pool in (state.pools.prefill, state.pools.decode)]
    return " to ".join(dict.fromkeys(ends))


def _replicas(state: ModelState, pool: Pool) -> int:
    return (state.pools.prefill if pool is Pool.PREFILL else state.pools.decode).replicas
