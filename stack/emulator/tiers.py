"""The tiers behind the engines: one node's host memory (L1) and the store all engines share (L2)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from stack.emulator.cache_reports import CacheReports
from stack.emulator.events import Medium


class Announcer(Protocol):
    """Whoever told the world that a block is in a tier, and so has to tell when it is gone."""

    def removed(self, medium: Medium, hashes: Sequence[int]) -> None: ...


class CacheTier:
    """An LRU of whole blocks by hash. An engine may read any block; the one that stored it announces its end."""

    def __init__(self, medium: Medium, capacity: int, reports: CacheReports | None = None) -> None:
        self.medium = medium
        self.capacity = capacity
        self.reports = reports
        self._owners: OrderedDict[int, Announcer] = OrderedDict()

    def __len__(self) -> int:
        return len(self._owners)

    def __contains__(self, block_hash: int) -> bool:
        return block_hash in self._owners

    def touch(self, hashes: Sequence[int]) -> None:
        """These were read just now."""
        for block_hash in hashes:
            self._owners.move_to_end(block_hash)

    def store(self, hashes: Sequence[int], owner: Announcer) -> list[int]:
        """Keep `hashes`; answers those that were new. What no longer fits goes, least recently used first.

        A tier without room is no tier: it takes nothing.
        """
        if self.capacity <= 0:
            return []
        new = [block_hash for block_hash in hashes if block_hash not in self._owners]
        for block_hash in hashes:
            self._owners.setdefault(block_hash, owner)
            self._owners.move_to_end(block_hash)
        if self.reports is not None and new:
            self.reports.stored(self.medium, new)
        self._evict()
        return new

    def _evict(self) -> None:
        gone: dict[int, tuple[Announcer, list[int]]] = {}
        while len(self._owners) > self.capacity:
            block_hash, owner = self._owners.popitem(last=False)
            gone.setdefault(id(owner), (owner, []))[1].append(block_hash)
        for owner, hashes in gone.values():
            owner.removed(self.medium, hashes)
            if self.reports is not None:
                self.reports.removed(self.medium, hashes)


@dataclass(frozen=True, slots=True)
class Tiers:
    """What one engine can reach behind its own memory."""

    l1: CacheTier
    l2: CacheTier
    reports: CacheReports | None = None

    def prefix(self, hashes: Sequence[int]) -> list[CacheTier]:
        """For each leading block that can be loaded, the nearest tier that holds it."""
        found: list[CacheTier] = []
        for block_hash in hashes:
            if block_hash in self.l1:
                found.append(self.l1)
            elif block_hash in self.l2:
                found.append(self.l2)
            else:
                break
        return found
