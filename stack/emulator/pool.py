"""The engine's own KV memory: blocks with reference counts, an LRU of free ones, and the prefix cache over them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence


class OutOfBlocksError(RuntimeError):
    """Fewer blocks are free than were asked for; nothing was taken."""


class BlockPool:
    """As in vLLM: a freed block keeps its contents until it is reused, oldest first and a prompt's tail before its head."""

    def __init__(self, engine_blocks: int) -> None:
        self.capacity = engine_blocks - 1  # block 0 is the engine's null block
        self._fresh = 1
        self._free: OrderedDict[int, None] = OrderedDict()
        self._references: dict[int, int] = {}
        self._hash_of: dict[int, int] = {}
        self._block_of: dict[int, int] = {}

    @property
    def free(self) -> int:
        return self.capacity - len(self._references)

    @property
    def used_ratio(self) -> float:
        """Share of blocks that running requests hold; cached but free blocks do not count."""
        return len(self._references) / self.capacity

    def cached_prefix(self, hashes: Sequence[int]) -> int:
        """How many leading blocks of `hashes` are here."""
        for count, block_hash in enumerate(hashes):
            if block_hash not in self._block_of:
                return count
        return len(hashes)

    def reuse(self, hashes: Sequence[int]) -> list[int]:
        """Take a reference on cached blocks. Raises KeyError when one is not cached."""
        blocks = [self._block_of[block_hash] for block_hash in hashes]
        for block in blocks:
            self._free.pop(block, None)
            self._references[block] = self._references.get(block, 0) + 1
        return blocks

    def allocate(self, count: int) -> tuple[list[int], list[int]]:
        """`count` blocks to write to, and the hashes that lost their block for it. Raises OutOfBlocksError."""
        if count > self.free:
            raise OutOfBlocksError(f"{count} blocks asked for, {self.free} free")
        evicted: list[int] = []
        blocks = [self._take(evicted) for _ in range(count)]
        self._references.update(dict.fromkeys(blocks, 1))
        return blocks, evicted

    def publish(self, block: int, block_hash: int) -> bool:
        """Make a full block findable; False when an equal one already is."""
        if block_hash in self._block_of:
            return False
        self._block_of[block_hash] = block
        self._hash_of[block] = block_hash
        return True

    def release(self, blocks: Sequence[int]) -> None:
        """Give references back; last first, so that a prompt's tail is evicted before its head."""
        for block in reversed(blocks):
            self._references[block] -= 1
            if self._references[block] == 0:
                del self._references[block]
                self._free[block] = None
                if block not in self._hash_of:
                    self._free.move_to_end(block, last=False)  # nothing worth keeping

    def _take(self, evicted: list[int]) -> int:
        if self._fresh <= self.capacity:
            self._fresh += 1
            return self._fresh - 1
        block, _ = self._free.popitem(last=False)
        block_hash = self._hash_of.pop(block, None)
        if block_hash is not None:
            del self._block_of[block_hash]
            evicted.append(block_hash)
        return block
