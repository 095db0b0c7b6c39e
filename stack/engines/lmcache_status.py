"""What `GET /status` of an LMCache server (0.5.6) says that its reports have to be held against."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from stack.engines.lmcache_events import CacheEventFormatError

_BY_SALT = "IsolatedLRU"


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """`objects` in L1, None when it does not say; `dropped` counts how often events were lost before they were reported.

    `l1_bytes` is the size that L1 was started with. `isolated`: some L2 adapter evicts by cache salt, what quotas are for.
    """

    chunk_tokens: int
    algorithm: str
    objects: int | None
    dropped: int
    l1_bytes: int | None = None
    l1_used_bytes: int | None = None
    isolated: bool | None = None


class _L1(msgspec.Struct):
    total_object_count: int | None = None
    memory_configured_bytes: int | None = None
    memory_used_bytes: int | None = None


class _Evicting(msgspec.Struct):
    eviction_policy: str = ""


class _Eviction(msgspec.Struct):
    adapters: list[_Evicting]


class _Storage(msgspec.Struct):
    l1_manager: _L1 = msgspec.field(default_factory=_L1)
    l2_eviction_controller: _Eviction | None = None


class _Events(msgspec.Struct):
    lost_markers: int = 0


class _Status(msgspec.Struct):
    chunk_size: int
    hash_algorithm: str
    storage_manager: _Storage = msgspec.field(default_factory=_Storage)
    kv_events: _Events = msgspec.field(default_factory=_Events)


def read(document: bytes) -> ServerStatus:
    """Raises CacheEventFormatError."""
    try:
        status = msgspec.json.decode(document, type=_Status)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CacheEventFormatError(str(error)) from error
    if status.chunk_size <= 0:
        raise CacheEventFormatError(f"a chunk size of {status.chunk_size}")
    l1, evicting = status.storage_manager.l1_manager, status.storage_manager.l2_eviction_controller
    return ServerStatus(
        chunk_tokens=status.chunk_size,
        algorithm=status.hash_algorithm,
        objects=l1.total_object_count,
        dropped=status.kv_events.lost_markers,
        l1_bytes=l1.memory_configured_bytes,
        l1_used_bytes=l1.memory_used_bytes,
        isolated=None if evicting is None else any(one.eviction_policy == _BY_SALT for one in evicting.adapters),
    )
