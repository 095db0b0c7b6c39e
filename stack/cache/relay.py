"""What control relays to routers of the cache behind the engines.

A router asks `GET /v1/routers/{id}/cache?epoch=E&since=V&wait=S` and gets a CacheUpdate (msgpack) as soon as there is
something after V, at the latest after S seconds. A control that began anew has another epoch: what was relayed before is void.
"""

from __future__ import annotations

import msgspec

from stack.model.chunk import CacheDoubt

# The ledger of the store that all cache servers share; every other one is a server's L1.
STORE = ""


class RelayedChunk(msgspec.Struct, frozen=True, array_like=True):
    """One chunk of one ledger as of its last change; `known` 0: it is not there."""

    root: str
    salt: str
    name: bytes
    changed: int
    known: int


class RelayedLedger(msgspec.Struct, frozen=True, kw_only=True):
    """One tier: a server's L1, or the store (`server` STORE). See ChunkLedger for since, floor, complete and doubt.

    `silent` is set while nothing in it may be believed. `age_seconds` is the time since its owner was last heard of, `held`
    how many chunks are there beyond doubt.
    """

    server: str
    since: int = 0
    floor: int = 0
    complete: bool = False
    doubt: CacheDoubt | None = None
    silent: CacheDoubt | None = None
    age_seconds: float | None = None
    held: int = 0
    chunk_tokens: int | None = None
    algorithm: str | None = None
    chunks: tuple[RelayedChunk, ...] = ()


class CacheUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """Everything up to `version`. `more` says that this is not yet all there is: ask again at once."""

    epoch: int
    version: int
    ledgers: tuple[RelayedLedger, ...] = ()
    more: bool = False
