"""What `GET /status` of an LMCache server (0.5.6) says that its reports have to be held against."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from stack.engines.lmcache_events import CacheEventFormatError


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """`objects` in L1, None when it does not say; `dropped` counts how often events were lost before they were reported."""

    chunk_tokens: int
    algorithm: str
    objects: int | None
    dropped: int


class _L1(msgspec.Struct):
    total_object_count: int | None = None


class _Storage(msgspec.Struct):
    l1_manager: _L1 = msgspec.field(default_factory=_L1)


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
    return ServerStatus(
        chunk_tokens=status.chunk_size,
        algorithm=status.hash_algorithm,
        objects=status.storage_manager.l1_manager.total_object_count,
        dropped=status.kv_events.lost_markers,
    )
