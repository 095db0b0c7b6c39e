"""What an LMCache server tells its coordinator, in our own words: `POST /events` and `POST /instances` of 0.5.6.

A batch is JSON with instance_id, incarnation (the server's start), seq, event_type (store, delete, access, config), tier
(l1, l2) and entries, each with a key: chunk_hash_hex, model_name (the path the engine loaded), kv_rank, object_group_id and
cache_salt. Token ids come along only where LMCache itself moves the KV (not with engines on CPUs), so they are not read.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from stack.model.chunk import CacheBatch, Chunk, Part
from stack.model.tier import Tier

# An access in L2 is a load that succeeded: the store had the chunk then. One in L1 is a mark for its eviction order.
_HELD = {
    ("store", Tier.L1): True,
    ("delete", Tier.L1): False,
    ("store", Tier.L2): True,
    ("access", Tier.L2): True,
    ("delete", Tier.L2): False,
}
_Id = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class CacheEventFormatError(ValueError):
    """What came is not what an LMCache server sends; the message says where."""


class _Key(msgspec.Struct):
    chunk_hash_hex: Annotated[str, msgspec.Meta(max_length=128)]
    model_name: Annotated[str, msgspec.Meta(max_length=4096)]
    kv_rank: int = 0
    object_group_id: int = 0
    cache_salt: Annotated[str, msgspec.Meta(max_length=1024)] = ""


class _Entry(msgspec.Struct):
    key: _Key


class _Batch(msgspec.Struct):
    instance_id: _Id
    incarnation: int
    seq: int
    event_type: str
    tier: str
    entries: list[_Entry] = []


class _Body(msgspec.Struct):
    batches: list[_Batch]


class Registration(msgspec.Struct):
    """A server that begins to report. Its HTTP API is at `ip`:`http_port`."""

    instance_id: _Id
    ip: Annotated[str, msgspec.Meta(min_length=1, max_length=253)]
    http_port: Annotated[int, msgspec.Meta(ge=1, le=65535)]


def batches(body: bytes) -> list[CacheBatch]:
    """The batches of one report, in order; unknown event types say nothing about contents. Raises CacheEventFormatError."""
    try:
        return [_batch(batch) for batch in msgspec.json.decode(body, type=_Body).batches]
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise CacheEventFormatError(str(error)) from error


def registration(body: bytes) -> Registration:
    """Raises CacheEventFormatError."""
    try:
        return msgspec.json.decode(body, type=Registration)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CacheEventFormatError(str(error)) from error


def _batch(batch: _Batch) -> CacheBatch:
    tier = Tier(batch.tier)
    held = _HELD.get((batch.event_type, tier))
    return CacheBatch(
        server=batch.instance_id,
        incarnation=batch.incarnation,
        sequence=batch.seq,
        tier=tier,
        held=held,
        parts=() if held is None else [_part(entry.key) for entry in batch.entries],
    )


def _part(key: _Key) -> Part:
    return Part(Chunk(key.model_name, key.cache_salt, bytes.fromhex(key.chunk_hash_hex)), key.kv_rank, key.object_group_id)
