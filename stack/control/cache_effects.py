"""What a change of the cache servers' L1 and quotas does, as values that explain themselves; and where they are not as desired."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from stack.control.machinery import Machinery
from stack.control.refusal import RefusedError
from stack.control.tiers import CacheSeen, Tiers, size

L1_BYTES = "tiers.l1.bytes"
QUOTAS = "tiers.l2.quotas"
_FLAG = (
    "L1's size is a start-up flag of the cache server (--l1-size-gb), and control cannot restart it here: "
    "set it where it is deployed"
)
_NOBODY = "no cache server reports to control, so there is none to set a quota on"


@dataclass(frozen=True, slots=True)
class ResizeL1:
    """The cache servers begin anew with an L1 of `after` bytes; None is no longer kvdeck's to say."""

    kind: ClassVar[str] = "resize_l1"
    after: int | None
    caches: tuple[CacheSeen, ...]

    @property
    def sentence(self) -> str:
        now = (
            ", ".join(dict.fromkeys("unknown" if one.l1_bytes is None else size(one.l1_bytes) for one in self.caches)) or "unknown"
        )
        if self.after is None:
            return f"L1 keeps the size it has ({now}); kvdeck does not set it any more."
        held = [one.l1_used_bytes for one in self.caches if one.l1_used_bytes is not None]
        lost = f"{size(sum(held))} of KV in it are lost" if any(held) else "all KV in it is lost"
        return (
            f"The cache server is restarted with {size(self.after)} of L1 (until now {now}): {lost}, what L2 holds stays. "
            "Until it is back engines compute what they would have loaded, and a request that asks it meanwhile may wait for 15 s."
        )


@dataclass(frozen=True, slots=True)
class ChangeQuotas:
    """How much of L2 the KV of a cache salt may take: `given` are set, `taken` lose theirs; `left` none is kvdeck's to say."""

    kind: ClassVar[str] = "change_quotas"
    given: Mapping[str, int]
    taken: tuple[str, ...]
    left: bool = False

    @property
    def sentence(self) -> str:
        if self.left:
            return "The quotas stay as the cache servers have them; kvdeck does not set them any more."
        given = ", ".join(f"{salt} {size(most)}" for salt, most in self.given.items())
        parts = [f"L2 holds at most: {given}."] if given else []
        parts += [f"Without a quota from now on: {', '.join(self.taken)}."] if self.taken else []
        return f"{' '.join(parts)} Live, within seconds; the KV of every salt that has no quota is evicted from L2."


def cache_effects(
    before: Tiers, after: Tiers, caches: Sequence[CacheSeen], machinery: Machinery
) -> Iterator[ResizeL1 | ChangeQuotas]:
    """Raises RefusedError where L1 or quotas cannot be changed from here."""
    if before.l1.bytes != after.l1.bytes:
        if after.l1.bytes is not None and not machinery.resizes_l1:
            raise RefusedError(L1_BYTES, _FLAG)
        yield ResizeL1(after.l1.bytes, tuple(caches))
    old, new = before.l2.quotas, after.l2.quotas
    if old != new:
        _check_quotas(new, caches)
        given = {salt: most for salt, most in new.items() if old.get(salt) != most}
        yield ChangeQuotas(given, tuple(salt for salt in old if salt not in new), left=not new)


def _check_quotas(quotas: Mapping[str, int], caches: Sequence[CacheSeen]) -> None:
    if not quotas:
        return
    if not caches:
        raise RefusedError(QUOTAS, _NOBODY)
    deaf = [one.server for one in caches if one.isolated is False]
    if deaf:
        why = "does not evict by salt, so a quota has no effect: its L2 adapter needs the eviction_policy IsolatedLRU"
        raise RefusedError(QUOTAS, f"{', '.join(deaf)} {why}")


def quota_steps(wanted: Mapping[str, int], seen: CacheSeen) -> dict[str, int | None]:
    """What to set on a server, None to take away. Without wanted quotas those it has are left to it."""
    if not wanted or seen.quotas is None:
        return {}
    steps: dict[str, int | None] = {salt: most for salt, most in wanted.items() if seen.quotas.get(salt) != most}
    return steps | dict.fromkeys(salt for salt in seen.quotas if salt not in wanted)


def cache_drift(tiers: Tiers, caches: Sequence[CacheSeen]) -> dict[str, str]:
    """Field -> reason, for L1 and quotas that a server has not, or is not known to have."""
    reasons = {}
    if tiers.l1.bytes is not None:
        odd = [f"{one.server} {_l1(one)}" for one in caches if one.l1_bytes != tiers.l1.bytes]
        if odd or not caches:
            reasons[L1_BYTES] = "; ".join(odd) or "no cache server reports to control"
    if tiers.l2.quotas:
        odd = [f"{one.server} {said}" for one in caches if (said := _quotas(tiers.l2.quotas, one))]
        if odd or not caches:
            reasons[QUOTAS] = "; ".join(odd) or "no cache server reports to control"
    return reasons


def _l1(seen: CacheSeen) -> str:
    return seen.error or ("does not tell its L1" if seen.l1_bytes is None else f"has {size(seen.l1_bytes)} of L1")


def _quotas(wanted: Mapping[str, int], seen: CacheSeen) -> str:
    if seen.error is not None or seen.quotas is None:
        return seen.error or "does not tell its quotas"
    steps = len(quota_steps(wanted, seen))
    return f"has {steps} quotas that are not as desired" if steps else ""
