"""The one place where a change is judged: a preview and the real thing are the same call."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from stack.control.cache_effects import cache_effects
from stack.control.consequences import consequences
from stack.control.diff import Change, diff
from stack.control.drained import drained, turned, without_gone
from stack.control.effects import Effect
from stack.control.flights import Flights
from stack.control.holds import check_listed, check_owners
from stack.control.machinery import UNKNOWN, Machinery
from stack.control.members import Member
from stack.control.merge import merge
from stack.control.patch import check, defaulted, keyed
from stack.control.rails import check_flights, check_serving
from stack.control.state import Desired
from stack.control.tier_effects import tier_effects
from stack.control.tiers import NO_STORE, CacheSeen, StoreSeen
from stack.control.valid import converted, converted_tiers, validated
from stack.control.whole import whole


@dataclass(frozen=True, slots=True)
class Decision:
    """A change that would be fine: what is desired then, field by field and in effect. Nothing differs when `diff` is empty."""

    desired: Desired
    diff: tuple[Change, ...]
    effects: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Leeway:
    """What is under way, and whether a change may cut in: `force` passes no rail but that of one change in flight."""

    flights: Flights = field(default_factory=dict)
    force: bool = False


NO_LEEWAY = Leeway()


def decide(
    patch: object,
    desired: Desired,
    members: Sequence[Member],
    strategies: Collection[str],
    machinery: Machinery = UNKNOWN,
    leeway: Leeway = NO_LEEWAY,
    store: StoreSeen = NO_STORE,
    caches: Sequence[CacheSeen] = (),
) -> Decision:
    """Merge `patch` into `desired` and judge the result as a whole. Raises RefusedError; changes nothing either way.

    `patch` is decoded JSON, keyed by model or not; null brings a default back. `strategies` are the names there are,
    `machinery` is what runs the engines, `store` the one behind LMCache, `caches` the cache servers.
    """
    change = keyed(patch, desired)
    check(change, desired)
    merged = merge(msgspec.to_builtins(desired), defaulted(change))
    assert isinstance(merged, dict)  # a patch that is an object leaves an object
    return _judged(merged, desired, members, strategies, machinery, leeway, store, caches)


def decide_whole(
    document: object,
    desired: Desired,
    members: Sequence[Member],
    strategies: Collection[str],
    machinery: Machinery = UNKNOWN,
    leeway: Leeway = NO_LEEWAY,
    store: StoreSeen = NO_STORE,
    caches: Sequence[CacheSeen] = (),
    *,
    past: bool = False,
) -> Decision:
    """Judge `document`, which takes the place of `desired`, as `decide` does: what it leaves out becomes the default.

    `past`: it is of long ago, so engines that it names may be gone.
    """
    return _judged(whole(document, desired), desired, members, strategies, machinery, leeway, store, caches, past=past)


def _judged(
    document: Mapping[str, Any],
    desired: Desired,
    members: Sequence[Member],
    strategies: Collection[str],
    machinery: Machinery,
    leeway: Leeway,
    store: StoreSeen,
    caches: Sequence[CacheSeen],
    *,
    past: bool = False,
) -> Decision:
    models = {name: converted(name, state) for name, state in document["models"].items()}
    after = validated(Desired(models=models, tiers=converted_tiers(document.get("tiers", {}))), strategies)
    after, forgotten = without_gone(desired, after, members) if past else (after, ())
    check_owners(desired, after, machinery.workloads)
    if not machinery.scales:
        check_listed(desired, after, members)
    there = turned(members, drained(after))
    check_serving(desired, after, there)
    effects: list[Effect] = [*forgotten, *check_flights(desired, after, members, leeway.flights, leeway.force)]
    for name, state in after.models.items():
        effects += consequences(name, desired.models[name], state, there, machinery)
    effects += tier_effects(desired.tiers, after.tiers, store)
    effects += cache_effects(desired.tiers, after.tiers, caches, machinery)
    return Decision(after, diff(desired, after), tuple(effects))
