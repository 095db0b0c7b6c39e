"""What a change of the cache tiers does, as values that explain themselves; and where the tiers are not as desired."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from stack.control.refusal import RefusedError
from stack.control.tiers import EvictionPolicy, StoreLimits, StoreSeen, Tiers, size

MEMORY = "tiers.l2.store.maxmemory_bytes"
POLICY = "tiers.l2.store.eviction_policy"


@dataclass(frozen=True, slots=True)
class LimitStore:
    """How much the store may hold; None is no longer kvdeck's to say. `seen` is the store before, `policy` afterwards."""

    kind: ClassVar[str] = "limit_store"
    after: int | None
    policy: EvictionPolicy | None
    seen: StoreSeen

    @property
    def sentence(self) -> str:
        now = _limit(self.seen.maxmemory_bytes)
        if self.after is None:
            return f"The store keeps the limit it has ({now}); kvdeck does not set it any more."
        loss = self._loss + _later(self.seen)
        return f"The store may hold {size(self.after)} (until now {now}), at once and without a restart.{loss}"

    @property
    def _loss(self) -> str:
        if self.after is None or self.seen.used_bytes is None or self.seen.used_bytes <= self.after:
            return ""
        if self.policy is not None and self.policy.evicts:
            return f" {size(self.seen.used_bytes - self.after)} of what it holds are evicted ({self.policy})."
        policy = self.policy or "its policy"
        return f" It holds {size(self.seen.used_bytes)} already and evicts no KV under {policy}: L2 takes nothing new."


@dataclass(frozen=True, slots=True)
class SwitchEviction:
    """What the store evicts when it is full; None is no longer kvdeck's to say."""

    kind: ClassVar[str] = "switch_eviction"
    after: EvictionPolicy | None
    seen: StoreSeen

    @property
    def sentence(self) -> str:
        now = self.seen.eviction_policy or "unknown"
        if self.after is None:
            return f"The store keeps the eviction policy it has ({now}); kvdeck does not set it any more."
        means = "makes room for new KV by" if self.after.evicts else "takes no new KV, for LMCache's keys never expire, under"
        return f"A full store {means} {self.after} (until now {now}), at once and without a restart.{_later(self.seen)}"


def tier_effects(before: Tiers, after: Tiers, seen: StoreSeen) -> Iterator[LimitStore | SwitchEviction]:
    """Raises RefusedError where the store's limits cannot be changed from here."""
    old, new = before.l2.store, after.l2.store
    memory, policy = (old.maxmemory_bytes, new.maxmemory_bytes), (old.eviction_policy, new.eviction_policy)
    for field, (was, wanted) in ((MEMORY, memory), (POLICY, policy)):
        if wanted not in (None, was) and seen.refusal is not None:
            raise RefusedError(field, seen.refusal)
    if old.maxmemory_bytes != new.maxmemory_bytes:
        yield LimitStore(new.maxmemory_bytes, new.eviction_policy or _policy(seen), seen)
    if old.eviction_policy != new.eviction_policy:
        yield SwitchEviction(new.eviction_policy, seen)


def unmet(wanted: StoreLimits, seen: StoreSeen) -> StoreLimits:
    """What of `wanted` the store is known not to have."""
    memory, policy = wanted.maxmemory_bytes, wanted.eviction_policy
    return StoreLimits(
        maxmemory_bytes=None if seen.maxmemory_bytes in (None, memory) else memory,
        eviction_policy=None if seen.eviction_policy in (None, policy) else policy,
    )


def tier_drift(tiers: Tiers, seen: StoreSeen) -> dict[str, str]:
    """Field -> reason, for every limit that the store has not, or is not known to have."""
    wanted, lacking = tiers.l2.store, unmet(tiers.l2.store, seen)
    reasons = {}
    if wanted.maxmemory_bytes is not None and (seen.maxmemory_bytes is None or lacking.maxmemory_bytes is not None):
        reasons[MEMORY] = seen.error or f"the store has {_limit(seen.maxmemory_bytes)}, desired are {size(wanted.maxmemory_bytes)}"
    if wanted.eviction_policy is not None and (seen.eviction_policy is None or lacking.eviction_policy is not None):
        reasons[POLICY] = seen.error or f"the store has {seen.eviction_policy}, desired is {wanted.eviction_policy}"
    return reasons


def _limit(amount: int | None) -> str:
    if amount is None:
        return "an unknown limit"
    return size(amount) if amount else "no limit"


def _policy(seen: StoreSeen) -> EvictionPolicy | None:
    return EvictionPolicy(seen.eviction_policy) if seen.eviction_policy in list(EvictionPolicy) else None


def _later(seen: StoreSeen) -> str:
    return f" It does not answer now, so once it does: {seen.error}." if seen.error else ""
