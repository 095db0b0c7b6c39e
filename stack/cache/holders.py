"""Who holds a block: one dictionary for all engines, from our name of a block to a mask with a bit for each of them."""

from __future__ import annotations

from collections.abc import Iterator

from stack.cache.shards import PART, Shards

_MASKS_SHARED = 4096  # different masks seldom are that many, and each is 32 to 64 bytes that as many blocks share


class Holders:
    """The blocks of one tier. A fleet that holds a block 64 times over has one entry for it."""

    __slots__ = ("_shared", "masks")

    def __init__(self) -> None:
        self.masks = Shards()
        self._shared: dict[int, int] = {}

    def add(self, block: int, bit: int) -> bool:
        """`bit` holds the block from now on; False when it did already."""
        part = self.masks.parts[block & PART]
        mask = part.get(block)
        if mask is None:
            part[block] = bit
            self.masks.size += 1
            return True
        if mask & bit:
            return False
        part[block] = self._share(mask | bit)
        return True

    def drop(self, block: int, bit: int) -> bool:
        """`bit` holds the block no more; False when it did not."""
        part = self.masks.parts[block & PART]
        mask = part.get(block, 0)
        if not mask & bit:
            return False
        if mask == bit:
            del part[block]
            self.masks.size -= 1
        else:
            part[block] = self._share(mask ^ bit)
        return True

    def holds(self, block: int, bit: int) -> bool:
        """Whether `bit` holds the block."""
        return (self.masks.get(block) or 0) & bit != 0

    def _share(self, mask: int) -> int:
        if len(self._shared) >= _MASKS_SHARED:
            self._shared.clear()
        return self._shared.setdefault(mask, mask)


class Slots:
    """Bits for those who hold blocks, the lowest free one first: short masks are quick and small."""

    def __init__(self) -> None:
        self._taken = 0

    def take(self) -> int:
        """A bit that nobody has."""
        bit = ~self._taken & (self._taken + 1)
        self._taken |= bit
        return bit

    def give_back(self, bit: int) -> None:
        """No holder's mask has this bit any more."""
        self._taken &= ~bit


def bits(mask: int) -> Iterator[int]:
    """The single bits of a mask, the lowest first."""
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit
