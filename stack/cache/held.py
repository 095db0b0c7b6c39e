"""The blocks under one bit of the holders: by their owner's name for each, and counted."""

from __future__ import annotations

from collections.abc import Mapping

from stack.cache.holders import Holders
from stack.cache.shards import Shards
from stack.model.kv_event import BlockName
from stack.model.tier import Tier


class Held:
    """What one engine holds in each tier. Engines keep duplicates and report each of them, so copies are counted."""

    __slots__ = ("_copies", "_holders", "bit", "counts", "names")

    def __init__(self, holders: Mapping[Tier, Holders], bit: int) -> None:
        self._holders = holders
        self.bit = bit
        self.names = Shards()
        self.counts: dict[Tier, int] = dict.fromkeys(Tier, 0)
        self._copies: dict[Tier, dict[int, int]] = {tier: {} for tier in Tier}  # only of what there are several of

    def put(self, tier: Tier, name: BlockName, block: int) -> None:
        """One copy more."""
        self.names.put(name, block)
        if self._holders[tier].add(block, self.bit):
            self.counts[tier] += 1
        else:
            copies = self._copies[tier]
            copies[block] = copies.get(block, 1) + 1

    def take(self, tier: Tier, name: BlockName) -> bool:
        """One copy less; False when there was none."""
        block = self.names.get(name)
        if block is None:
            return False
        copies = self._copies[tier]
        left = copies.pop(block, 1) - 1
        if left:
            if left > 1:
                copies[block] = left
            return True
        if not self._holders[tier].drop(block, self.bit):
            return False
        self.counts[tier] -= 1
        for other, count in self.counts.items():
            if count and other is not tier and self._holders[other].holds(block, self.bit):
                return True
        self.names.pop(name)
        return True

    def discard(self, name: BlockName) -> None:
        """No copy in any tier."""
        block = self.names.pop(name)
        if block is not None:
            self.release(block)

    def release(self, block: int) -> None:
        """Take the bit off a block, in every tier."""
        for tier, holders in self._holders.items():
            if holders.drop(block, self.bit):
                self.counts[tier] -= 1
                self._copies[tier].pop(block, None)
