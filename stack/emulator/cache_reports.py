"""What an emulated cache server reports: LMCache's words for the tiers behind the emulated engines."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from stack.emulator.events import Medium
from stack.engines.lmcache_chunks import ALGORITHM, chunk_names, knows

_TIERS = {Medium.CPU: ("l1", "dram"), Medium.STORAGE: ("l2", "emulated")}
_RANK = 0x1000100  # of the only rank, as LMCache writes it


class CacheReports:
    """Entries not yet reported, in order. Chunks are the engines' blocks; their names are LMCache's.

    `incarnation` tells this process from one before it. Names are kept for `limit` blocks, least recently described first to go.
    """

    def __init__(self, server: str, block_size: int, incarnation: int, limit: int) -> None:
        self.server = server
        self.block_size = block_size
        self.held: dict[Medium, int] = dict.fromkeys(_TIERS, 0)
        self._incarnation = incarnation
        self._limit = limit
        self._sequence = 0
        self._chunks: OrderedDict[int, dict[str, Any]] = OrderedDict()
        self._pending: list[tuple[Medium, str, list[dict[str, Any]]]] = []

    @property
    def algorithm(self) -> str:
        """How chunks are named; without the package for it they are not."""
        return ALGORITHM if knows(ALGORITHM) else "none"

    def described(self, root: str, hashes: Sequence[int], parent: int | None, tokens: Sequence[int], salt: str | None) -> None:
        """What an engine's blocks `hashes` are, before they are stored anywhere. A parent that is forgotten leaves them unnamed."""
        before = None if parent is None else self._chunks.get(parent)
        if (parent is not None and before is None) or self.algorithm != ALGORITHM:
            return
        names = chunk_names(tokens, self.block_size, None if before is None else bytes.fromhex(before["chunk_hash_hex"]))
        for block_hash, name in zip(hashes, names, strict=True):
            key = {"chunk_hash_hex": name.hex(), "model_name": root, "kv_rank": _RANK, "object_group_id": 0}
            self._chunks[block_hash] = key | {"cache_salt": salt or (before or key).get("cache_salt", "")}
            self._chunks.move_to_end(block_hash)
        while len(self._chunks) > self._limit:
            self._chunks.popitem(last=False)

    def stored(self, medium: Medium, hashes: Sequence[int]) -> None:
        """`medium` has these now."""
        self.held[medium] += len(hashes)
        self._add(medium, "store", hashes)

    def removed(self, medium: Medium, hashes: Sequence[int]) -> None:
        """`medium` has them no longer."""
        self.held[medium] -= len(hashes)
        self._add(medium, "delete", hashes)

    def take(self) -> list[dict[str, Any]]:
        """The batches since the last call, as `POST /events` carries them."""
        pending, self._pending = self._pending, []
        return [self._batch(medium, kind, entries) for medium, kind, entries in pending]

    def _add(self, medium: Medium, kind: str, hashes: Sequence[int]) -> None:
        entries = [{"key": self._chunks[block_hash]} for block_hash in hashes if block_hash in self._chunks]
        if self._pending and self._pending[-1][:2] == (medium, kind):
            self._pending[-1][2].extend(entries)
        elif entries:
            self._pending.append((medium, kind, entries))

    def _batch(self, medium: Medium, kind: str, entries: list[dict[str, Any]]) -> dict[str, Any]:
        self._sequence += 1
        tier, backend = _TIERS[medium]
        return {
            "instance_id": self.server,
            "incarnation": self._incarnation,
            "seq": self._sequence,
            "event_type": kind,
            "tier": tier,
            "backend": backend,
            "entries": entries,
            "emulated": True,
        }
