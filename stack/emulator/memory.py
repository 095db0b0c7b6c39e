"""One engine's view of all KV memory: its own blocks, the tiers behind them, and the journal that tells of both."""

from __future__ import annotations

from collections.abc import Sequence as Values
from dataclasses import dataclass
from itertools import groupby

from stack.emulator.events import Journal, Medium
from stack.emulator.pool import BlockPool, OutOfBlocksError
from stack.emulator.sequence import Sequence
from stack.emulator.telemetry import Telemetry
from stack.emulator.tiers import CacheTier, Tiers


@dataclass(frozen=True, slots=True)
class Found:
    """What of a prompt need not be computed: leading blocks in the engine, then blocks by the tier that has them."""

    device: tuple[int, ...]
    loads: tuple[CacheTier, ...]


class Memory:
    """Finds, takes, publishes and gives back the blocks of sequences."""

    def __init__(self, pool: BlockPool, tiers: Tiers, journal: Journal, telemetry: Telemetry, block_size: int) -> None:
        self.pool = pool
        self._tiers = tiers
        self._journal = journal
        self._telemetry = telemetry
        self._block_size = block_size

    def find(self, sequence: Sequence) -> Found:
        """Whole blocks only, and never the last token: its logits are what the engine needs."""
        usable = (len(sequence.tokens) - 1) // self._block_size
        hashes = sequence.hash_full_blocks(self._block_size)[:usable]
        device = self.pool.cached_prefix(hashes)
        return Found(tuple(hashes[:device]), tuple(self._tiers.prefix(hashes[device:])))

    def start(self, sequence: Sequence, device: Values[int]) -> bool:
        """Take blocks for all tokens so far, `device` first. False, with nothing taken, when they are not free."""
        sequence.blocks = self.pool.reuse(device)
        if not self.grow(sequence, len(sequence.tokens)):
            self.release(sequence)
            return False
        sequence.computed = len(device) * self._block_size
        sequence.published = len(device)
        return True

    def grow(self, sequence: Sequence, tokens: int) -> bool:
        """See that `tokens` tokens have room. False when they have not."""
        missing = -(-tokens // self._block_size) - len(sequence.blocks)
        if missing <= 0:
            return True
        try:
            blocks, evicted = self.pool.allocate(missing)
        except OutOfBlocksError:
            return False
        sequence.blocks += blocks
        self._journal.removed(Medium.GPU, evicted)
        return True

    def publish(self, sequence: Sequence) -> list[int]:
        """Make the blocks filled since the last call findable; answers their hashes."""
        full = sequence.computed // self._block_size
        hashes = sequence.hash_full_blocks(self._block_size)
        first, sequence.published = sequence.published, max(full, sequence.published)
        new = [index for index in range(first, full) if self.pool.publish(sequence.blocks[index], hashes[index])]
        for _, run in groupby(enumerate(new), key=lambda pair: pair[1] - pair[0]):
            indexes = [index for _, index in run]
            self._tell(sequence, indexes[0], indexes[-1] + 1)
        return hashes[first:full]

    def offload(self, hashes: Values[int]) -> None:
        """Write blocks through to both tiers; what they already hold is not written again."""
        written = [self._store(tier, hashes) for tier in (self._tiers.l1, self._tiers.l2)]
        self._telemetry.offloaded(*written)

    def read(self, hashes: Values[int], tiers: Values[CacheTier]) -> tuple[int, int]:
        """Load `hashes` from `tiers`; blocks of L2 stay in L1 afterwards. Answers the counts by L1 and L2."""
        from_l2 = [block_hash for block_hash, tier in zip(hashes, tiers, strict=True) if tier is self._tiers.l2]
        for tier in (self._tiers.l1, self._tiers.l2):
            tier.touch([block_hash for block_hash in hashes if block_hash in tier])
        self._store(self._tiers.l1, from_l2)
        counts = len(hashes) - len(from_l2), len(from_l2)
        self._telemetry.loaded(*counts)
        return counts

    def release(self, sequence: Sequence) -> None:
        """Give a sequence's blocks back; they stay findable until reused."""
        blocks, sequence.blocks = sequence.blocks, []
        sequence.computed = sequence.published = 0
        self.pool.release(blocks)

    def split(self, loads: Values[CacheTier]) -> tuple[int, int]:
        """How many of `loads` are L1 and L2."""
        l1 = sum(tier is self._tiers.l1 for tier in loads)
        return l1, len(loads) - l1

    def _store(self, tier: CacheTier, hashes: Values[int]) -> int:
        new = tier.store(hashes, self._journal)
        self._journal.offloaded(tier.medium, new)
        return len(new)

    def _tell(self, sequence: Sequence, first: int, last: int) -> None:
        parent = sequence.hashes[first - 1] if first else None
        tokens = sequence.tokens[first * self._block_size : last * self._block_size]
        adapter = None if sequence.adapter is None else sequence.adapter.name
        self._journal.stored(sequence.hashes[first:last], parent, tokens, sequence.salt, adapter)
