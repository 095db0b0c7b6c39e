"""Desired, applied and observed of every field of the desired state, and what keeps them apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from stack.control.cache_effects import L1_BYTES, QUOTAS
from stack.control.diff import Value, leaves
from stack.control.leaving import present
from stack.control.members import Member
from stack.control.observed import Traffic, observed
from stack.control.state import Desired
from stack.control.tier_effects import MEMORY, POLICY
from stack.control.tiers import NO_STORE, CacheSeen, StoreSeen
from stack.model.tier import Pool

CONTROL, MACHINERY, STORE = "control", "machinery", "store"
NOBODY = "no router reports"
# What of a pool routers go by; `replicas` is the machinery's that runs engines, and by the rest control itself goes, at once.
_ROUTED = frozenset({"strategy", "parameters", "protocol", "drained"})


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """Who goes by a value: routers, `control` itself, the `machinery` that runs engines, the `store` that is L2, or a cache
    server by its id.

    `known` false: it is not known.
    """

    by: tuple[str, ...]
    value: Value = None
    known: bool = True


class FieldState(msgspec.Struct, frozen=True, kw_only=True):
    """One field of the desired state by its path, a list as one text.

    `applied` is empty where nobody tells what is applied. `observed` is what is seen of it, in words, null where nothing is.
    `reason` says what keeps applied or observed from being as desired, null when nothing does; `since` is when that began, in
    Unix seconds.
    """

    field: str
    desired: Value
    applied: tuple[Held, ...] = ()
    observed: str | None = None
    reason: str | None = None
    since: float | None = None


@dataclass(frozen=True, slots=True)
class Follower:
    """A live router. `fields` are those of its generation, None when they are not known; it goes without those in `ignored`.

    `lag` is what keeps it from what is desired, in words; empty when nothing does.
    """

    id: str
    fields: Mapping[str, Value] | None
    ignored: frozenset[str] = frozenset()
    lag: str = ""


@dataclass(frozen=True, slots=True)
class Outlook:
    """All that is known at one moment. `drift` are reasons by field, `traffic` what was seen lately of each model's requests."""

    desired: Desired
    followers: Sequence[Follower]
    members: Sequence[Member]
    traffic: Mapping[str, Traffic]
    drift: Mapping[str, str]
    store: StoreSeen = NO_STORE
    caches: Sequence[CacheSeen] = ()


def fields(outlook: Outlook) -> Iterator[FieldState]:
    """Every field, ordered by path within each model; those of the tiers last."""
    for model, state in outlook.desired.models.items():
        prefix = f"models.{model}."
        seen = observed(model, state, outlook.members, outlook.traffic.get(model))
        for name, wanted in sorted(leaves(state).items()):
            yield _field(outlook, model, name, prefix + name, wanted, seen.get(name))
    yield from _tiers(outlook)


def _tiers(outlook: Outlook) -> Iterator[FieldState]:
    """The store and the cache servers go by their own values where none is desired."""
    store, words = outlook.store, None if outlook.store.used_bytes is None else outlook.store.words
    seen: dict[str, tuple[tuple[str, Value], ...]] = {
        MEMORY: ((STORE, store.maxmemory_bytes),),
        POLICY: ((STORE, store.eviction_policy),),
        L1_BYTES: tuple((one.server, one.l1_bytes) for one in outlook.caches),
    }
    for name, wanted in sorted(leaves(outlook.desired.tiers).items()):
        path, salt = f"tiers.{name}", name.removeprefix("l2.quotas.")
        quotas = tuple((one.server, (one.quotas or {}).get(salt)) for one in outlook.caches)
        held = tuple(Held(by=(by,), value=value, known=value is not None) for by, value in seen.get(path, quotas))
        reason = outlook.drift.get(path, outlook.drift.get(QUOTAS) if path not in seen else None)
        yield FieldState(field=path, desired=wanted, applied=held, observed=words if path == MEMORY else None, reason=reason)


def _field(outlook: Outlook, model: str, name: str, path: str, wanted: Value, seen: str | None) -> FieldState:
    applied, reason = _applied(outlook, model, name, path, wanted)
    reasons = filter(None, [reason, outlook.drift.get(path)])
    return FieldState(field=path, desired=wanted, applied=applied, observed=seen, reason="; ".join(reasons) or None)


def _applied(outlook: Outlook, model: str, name: str, path: str, wanted: Value) -> tuple[tuple[Held, ...], str]:
    """Who goes by what, and why somebody does not by what is wanted."""
    parts = name.split(".")
    if parts[0] == "pools" and parts[2] == "replicas":
        failed = MACHINERY in outlook.drift
        there = None if failed else len(present(outlook.members, model, Pool(parts[1])))
        return (Held(by=(MACHINERY,), value=there, known=not failed),), outlook.drift[MACHINERY] if failed else ""
    if parts[0] == "pools" and parts[2] not in _ROUTED:
        return (Held(by=(CONTROL,), value=wanted),), ""
    held = tuple(_held(outlook.followers, path))
    behind = {router for each in held if not each.known or each.value != wanted for router in each.by}
    lags = [f"{one.id} {one.lag or 'does not tell what it goes by'}" for one in outlook.followers if one.id in behind]
    return held, "; ".join(lags) if held else NOBODY


def _held(followers: Sequence[Follower], path: str) -> Iterator[Held]:
    """The routers by the value that they go by."""
    ids: defaultdict[tuple[bool, Value], list[str]] = defaultdict(list)
    for one in followers:
        known = one.fields is not None and path in one.fields and path not in one.ignored
        ids[known, one.fields[path] if known and one.fields is not None else None].append(one.id)
    for (known, value), routers in ids.items():
        yield Held(by=tuple(routers), value=value, known=known)
