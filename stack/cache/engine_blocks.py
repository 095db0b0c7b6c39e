"""The blocks one engine (or one data-parallel rank of it) holds, tier by tier, as far as its events tell."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from stack.cache.blocks import ROOT, block_hashes
from stack.cache.held import Held
from stack.cache.holders import Holders
from stack.cache.lineage import REMEMBERED_BLOCKS, Lineage
from stack.model.kv_event import BlockName, Removed, Stored
from stack.model.tier import Tier


class Unplaced(StrEnum):
    """Why a block that an engine reported is not in the index; a closed set, for it becomes a metric label."""

    PARENT_UNKNOWN = "parent_unknown"  # what it follows was stored before anybody listened, or was not placed itself
    NAME_UNKNOWN = "name_unknown"  # an offload of a block that was never described
    MISFIT = "misfit"  # not as many tokens as its blocks have, or blocks of another size than the engine's first
    INDEX_FULL = "index_full"  # the index's own limit


class EngineBlocks:
    """What cannot be told is left out and counted in `unplaced` by its reason, so what is here is a lower bound.

    After lost events (`doubt`) what was held is kept apart, as perhaps still there: it counts only where a block that was
    stored since follows on it, since an engine stores a block only while it holds all that come before it.
    """

    def __init__(self, holders: Mapping[Tier, Holders], bit: int, unplaced: Counter[Unplaced]) -> None:
        self.block_tokens: int | None = None
        self._unplaced = unplaced
        self.certain = Held(holders, bit)
        self.doubted: Held | None = None
        self._holders = holders
        self._lineage = Lineage()
        self._told = {Tier.ENGINE}
        self._chunks: dict[Tier, dict[BlockName, list[list[BlockName]]]] = {tier: {} for tier in Tier}
        self._spans: dict[Tier, int] = dict.fromkeys(Tier, 0)

    def __len__(self) -> int:
        """Entries, whether certain or in doubt: what the memory is measured by."""
        return self.certain.names.size + (0 if self.doubted is None else self.doubted.names.size)

    def count(self, tier: Tier) -> int:
        """Distinct blocks that are certainly in one tier."""
        return self.certain.counts[tier]

    def tells(self, tier: Tier) -> bool:
        """Whether the events speak of this tier at all: of a cache server's tiers an engine's events say nothing."""
        return tier in self._told

    def stored(self, event: Stored, room: int) -> int:
        """Blocks came in, `room` of them at most are taken. How many could not be placed."""
        self._told.add(event.tier)
        return self._store_described(event, room) if event.tokens else self._store_named(event)

    def removed(self, event: Removed) -> int:
        """Blocks went; those never known are no loss. How many were certainly there."""
        chunks = self._chunks[event.tier]
        gone = 0
        for name in event.blocks:
            if chunks and name in chunks:
                gone += sum(self.certain.take(event.tier, member) for member in chunks[name].pop())
                if not chunks[name]:
                    del chunks[name]
                continue
            gone += self.certain.take(event.tier, name)
            if self.doubted is not None and event.tier is Tier.ENGINE:
                self.doubted.discard(name)
        return gone

    def doubt(self, bit: int) -> Held | None:
        """Events were lost: nothing held is certain any more, and `bit` is for what comes. What was in doubt before is given up.

        Of the farther tiers nothing is kept: no event proves that they still hold a block.
        """
        given_up, self.doubted, self.certain = self.doubted, self.certain, Held(self._holders, bit)
        self._chunks = {tier: {} for tier in Tier}
        return given_up

    def settle(self) -> Held | None:
        """What was in doubt is gone for certain."""
        given_up, self.doubted = self.doubted, None
        return given_up

    def _store_described(self, event: Stored, room: int) -> int:
        start, depth = (ROOT, 0) if event.parent is None else (self._block(event.parent), self._depth_after(event.parent))
        if not self._fits(event):
            return self._leave_out(Unplaced.MISFIT, len(event.blocks))
        if start is None:
            return self._leave_out(Unplaced.PARENT_UNKNOWN, len(event.blocks))
        before = event.parent
        put, note = self.certain.put, self._lineage.note
        doubted = self.doubted if event.tier is Tier.ENGINE else None
        blocks = block_hashes(start, event.tokens, event.block_tokens, event.extras)
        for name, described in zip(event.blocks[:room], blocks, strict=False):
            # A block that was described before keeps its name: an offload's description leaves the salt out.
            known = self._block(name)
            block = described if known is None else known
            if doubted is not None:
                doubted.discard(name)
            put(event.tier, name, block)
            note(name, block, before, depth)
            before = name
            depth = None if depth is None else depth + 1
        return self._leave_out(Unplaced.INDEX_FULL, max(len(event.blocks) - room, 0))

    def _fits(self, event: Stored) -> bool:
        if event.block_tokens <= 0 or len(event.tokens) != len(event.blocks) * event.block_tokens:
            return False
        if self.block_tokens is None:
            self.block_tokens = event.block_tokens
        return self.block_tokens == event.block_tokens

    def _store_named(self, event: Stored) -> int:
        """An offloaded chunk bears the name of its last block; how many blocks it spans, the depths it ends at tell."""
        self._lineage.limit = REMEMBERED_BLOCKS + self.count(Tier.ENGINE)
        unknown = 0
        for name in event.blocks:
            block = self._block(name)
            if block is None:
                unknown += 1
                continue
            members = self._members(event.tier, name, block)
            for member, its_block in members:
                self.certain.put(event.tier, member, its_block)
            if len(members) > 1:
                self._chunks[event.tier].setdefault(name, []).append([member for member, _ in members])
        return self._leave_out(Unplaced.NAME_UNKNOWN, unknown)

    def _members(self, tier: Tier, name: BlockName, block: int) -> list[tuple[BlockName, int]]:
        depth = self._lineage.depth(name)
        if depth is not None:
            self._spans[tier] = math.gcd(self._spans[tier], depth + 1)
        return self._lineage.line(name, self._spans[tier]) or [(name, block)]

    def _leave_out(self, reason: Unplaced, blocks: int) -> int:
        if blocks:
            self._unplaced[reason] += blocks
        return blocks

    def _block(self, name: BlockName) -> int | None:
        block = self.certain.names.get(name)
        if block is None and self.doubted is not None:
            block = self.doubted.names.get(name)
        return self._lineage.block(name) if block is None else block

    def _depth_after(self, parent: BlockName) -> int | None:
        depth = self._lineage.depth(parent)
        return None if depth is None else depth + 1
