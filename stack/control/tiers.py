"""What is desired of the cache tiers behind the engines; they are shared by all models."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated

import msgspec

MEMORY_MIN = 16 << 20  # a store's own overhead is some MiB
MEMORY_MAX = 1 << 50
_GIB = 1 << 30

# A salt is a segment of a URL at the cache server.
SALT = re.compile(r"[^/\x00-\x1f]{1,256}")
Quotas = dict[str, Annotated[int, msgspec.Meta(ge=0, le=MEMORY_MAX)]]
Memory = Annotated[int, msgspec.Meta(ge=MEMORY_MIN, le=MEMORY_MAX)]


def size(amount: int) -> str:
    """An amount of memory, for people."""
    return f"{amount / _GIB:.4g} GiB" if amount >= _GIB else f"{amount / (1 << 20):.4g} MiB"


class EvictionPolicy(StrEnum):
    """What Redis and Valkey evict when they are full. Those named volatile- take keys that expire alone: LMCache writes none."""

    NOEVICTION = "noeviction"
    ALLKEYS_LRU = "allkeys-lru"
    ALLKEYS_LFU = "allkeys-lfu"
    ALLKEYS_RANDOM = "allkeys-random"
    VOLATILE_LRU = "volatile-lru"
    VOLATILE_LFU = "volatile-lfu"
    VOLATILE_RANDOM = "volatile-random"
    VOLATILE_TTL = "volatile-ttl"

    @property
    def evicts(self) -> bool:
        """A full store makes room for new KV."""
        return self.value.startswith("allkeys")


class StoreLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits of the store (Redis or Valkey) that is L2; null leaves one as the store itself has it."""

    maxmemory_bytes: Memory | None = None
    eviction_policy: EvictionPolicy | None = None


class L1(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cache servers' own memory; null leaves its size as each server was started."""

    bytes: Memory | None = None


class L2(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The tier beyond the cache servers' memory.

    `quotas` are bytes by cache salt, all that there are; none at all leaves those that the cache servers have.
    """

    store: StoreLimits = StoreLimits()
    quotas: Quotas = {}


class Tiers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every tier that can be changed without the engines."""

    l1: L1 = L1()
    l2: L2 = L2()


class StoreSeen(msgspec.Struct, frozen=True, kw_only=True):
    """The store at the last look. A `maxmemory_bytes` of 0 is no limit; null is unknown, and `error` says why.

    `refusal` says why its limits cannot be changed from here, whatever they are; null when they can.
    """

    maxmemory_bytes: int | None = None
    eviction_policy: str | None = None
    used_bytes: int | None = None
    error: str | None = None
    refusal: str | None = None

    @property
    def words(self) -> str:
        """All of it, for people."""
        if self.used_bytes is None:
            return f"unknown, {self.error or 'nobody looked yet'}"
        most = f"of {size(self.maxmemory_bytes)}" if self.maxmemory_bytes else "and has no limit"
        return f"holds {size(self.used_bytes)} {most}, {self.eviction_policy}{'' if self.error is None else f'; {self.error}'}"


class CacheSeen(msgspec.Struct, frozen=True, kw_only=True):
    """A cache server at the last look; null is unknown. `isolated` is whether it evicts by salt, without which quotas are vain.

    `quotas` are only asked for while some are desired.
    """

    server: str
    l1_bytes: int | None = None
    l1_used_bytes: int | None = None
    quotas: dict[str, int] | None = None
    isolated: bool | None = None
    error: str | None = None


NO_STORE = StoreSeen(
    error="control knows no store",
    refusal="control knows no store behind LMCache: start it with --cache-store redis://HOST:PORT",
)
