"""KV cache behind the engines, as a cache server names it: chunks, what became of them, and why a claim may be doubted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from stack.model.tier import Tier


class Chunk(NamedTuple):
    """A prompt's piece of fixed length with everything before it. `name` is the server's own hash; `root` the model's."""

    root: str
    salt: str
    name: bytes


class Part(NamedTuple):
    """A chunk's share that one rank (and group of layers) holds; a chunk is whole when all its parts are there."""

    chunk: Chunk
    rank: int
    group: int


@dataclass(frozen=True, slots=True)
class CacheBatch:
    """What one flush of a cache server reports of one tier: `held` tells whether it now has `parts`, or has lost them.

    `sequence` counts a server's batches from 1 in each `incarnation`; None in `held` reports nothing about contents.
    """

    server: str
    incarnation: int
    sequence: int
    tier: Tier
    held: bool | None
    parts: Sequence[Part]


class CacheDoubt(StrEnum):
    """Why a tier's contents are not known; a closed set, for it becomes a metric label."""

    UNHEARD = "unheard"  # the cache server never reported, or no longer does
    PARTIAL = "partial"  # the tier holds more than was reported: stored before anybody listened, or reports were lost
    REPORTS_LOST = "reports_lost"  # a gap in the server's sequence
    EVENTS_DROPPED = "events_dropped"  # the server says that it lost some before it reported
    STORE_EVICTED = "store_evicted"  # the store dropped keys by itself, and tells nobody which
    STORE_SILENT = "store_silent"  # the store does not say whether it evicted
    NO_STORE = "no_store"  # control was told of no store whose evictions could be watched
    CONTROL_SILENT = "control_silent"  # what control relays is too old
    UNKNOWN_HASH = "unknown_hash"  # the server names chunks in a way that is not known here
    ADAPTER = "adapter"  # the prompt is a LoRA adapter's, and cache servers do not tell whose KV their chunks are
