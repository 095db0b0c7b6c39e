"""Which targets are this exporter's, where several share a fleet."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from stack.engines.lmcache import TierHits
from stack.model.target import Target


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` exporters, the first of which has index 0.

    Each target is exactly one's, by rendezvous hashing: one exporter more or less moves only its own share. An engine that
    is listed with its `cache_server` goes with the server of that name.
    """

    index: int
    count: int

    def mine(self, targets: Iterable[str], fleet: Sequence[Target]) -> list[str]:
        """Those of `targets`, by name, that this exporter reads."""
        keys = {engine.replica: _key(engine) for engine in fleet}
        return [target for target in targets if self._has(keys.get(target, target))]

    def others(self, fleet: Sequence[Target]) -> list[Target]:
        """Those engines of `fleet` that another exporter reads."""
        return [engine for engine in fleet if not self._has(_key(engine))]

    def _has(self, key: str) -> bool:
        return self.count == 1 or max(range(self.count), key=lambda index: _weight(index, key)) == self.index


WHOLE = Shard(0, 1)


def unshared(server: str, hits: Mapping[str, TierHits], others: Iterable[Target]) -> dict[str, TierHits]:
    """The look-up hits of `server` by model root that no engine of `others` may have caused.

    Others' loads are not seen here, and to claim their hits would count them twice.
    """
    theirs = {engine.model_root for engine in others if engine.cache_server in {None, server}}
    return {root: found for root, found in hits.items() if not theirs & {root, ""}}


def _key(engine: Target) -> str:
    return engine.cache_server or engine.replica


def _weight(index: int, key: str) -> bytes:
    return hashlib.blake2b(f"{index}/{key}".encode(), digest_size=8).digest()
