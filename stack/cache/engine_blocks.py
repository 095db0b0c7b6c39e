"""The blocks one engine holds, tier by tier, as far as its events tell."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from stack.cache.blocks import ROOT, block_hashes
from stack.model.kv_event import BlockName, Removed, Stored
from stack.model.tier import Tier

# An engine offloads a block and may drop its own copy before it reports the offload, by name only.
REMEMBERED_NAMES = 4096


class _Block(NamedTuple):
    own: int  # our name, from stack.cache.blocks
    parent: BlockName | None
    depth: int  # 0 for a prompt's first block


class EngineBlocks:
    """Counts, for each tier, how often a block is stored: engines keep duplicates and report each of them.

    What cannot be told is left out and counted in `unresolved` (a parent that was stored before anybody listened, blocks
    of another size), so what is here is a lower bound.
    """

    def __init__(self) -> None:
        self.block_tokens: int | None = None
        self.unresolved = 0
        self._blocks: dict[BlockName, _Block] = {}
        self._names: dict[int, BlockName] = {}
        self._gone: OrderedDict[BlockName, _Block] = OrderedDict()
        self._told = {Tier.ENGINE}
        self._held: dict[Tier, Counter[int]] = {tier: Counter() for tier in Tier}
        self._chunks: dict[Tier, dict[BlockName, list[tuple[int, ...]]]] = {tier: {} for tier in Tier}
        self._chunk_blocks: dict[Tier, int] = dict.fromkeys(Tier, 0)

    def count(self, tier: Tier) -> int:
        """Distinct blocks in one tier."""
        return len(self._held[tier])

    def tells(self, tier: Tier) -> bool:
        """Whether the events speak of this tier at all: of a cache server's tiers an engine's events say nothing."""
        return tier in self._told

    def stored(self, event: Stored) -> None:
        """Blocks came in."""
        self._told.add(event.tier)
        if event.tokens:
            self._store_described(event)
        else:
            self._store_named(event)

    def removed(self, event: Removed) -> None:
        """Blocks went; those never known are no loss."""
        chunks = self._chunks[event.tier]
        for name in event.blocks:
            if name in chunks:
                owns = chunks[name].pop()
                if not chunks[name]:
                    del chunks[name]
                for own in owns:
                    self._release(event.tier, own)
            elif name in self._blocks:
                self._release(event.tier, self._blocks[name].own)

    def reachable(self, chain: Sequence[int]) -> tuple[int, int, int]:
        """How many blocks of a prompt the engine has in its own memory, then in L1 and in L2, without a gap."""
        own, l1, l2 = (self._held[tier] for tier in (Tier.ENGINE, Tier.L1, Tier.L2))
        first = 0
        for block in chain:
            if block not in own:
                break
            first += 1
        second = third = 0
        if l1 or l2:
            for block in chain[first:]:
                if block in l1:
                    second += 1
                elif block in l2:
                    third += 1
                else:
                    break
        return first, second, third

    def _store_described(self, event: Stored) -> None:
        parent = None if event.parent is None else self._find(event.parent)
        if not self._fits(event) or (event.parent is not None and parent is None):
            self.unresolved += len(event.blocks)
            return
        start, depth = (ROOT, 0) if parent is None else (parent.own, parent.depth + 1)
        owns = block_hashes(start, event.tokens, event.block_tokens, event.extras)
        before = event.parent
        for offset, (name, own) in enumerate(zip(event.blocks, owns, strict=True)):
            # A block that was described before keeps its name: an offload's description leaves the salt out.
            block = self._find(name) or _Block(own, before, depth + offset)
            self._hold(event.tier, name, block)
            before = name

    def _fits(self, event: Stored) -> bool:
        if event.block_tokens <= 0 or len(event.tokens) != len(event.blocks) * event.block_tokens:
            return False
        if self.block_tokens is None:
            self.block_tokens = event.block_tokens
        return self.block_tokens == event.block_tokens

    def _store_named(self, event: Stored) -> None:
        """An offloaded chunk bears the name of its last block; how many blocks it spans, the depths it ends at tell."""
        for name in event.blocks:
            block = self._find(name)
            if block is None:
                self.unresolved += 1
                continue
            span = self._chunk_blocks[event.tier] = math.gcd(self._chunk_blocks[event.tier], block.depth + 1)
            members = self._ancestors(name, block, span)
            for member_name, member in members:
                self._hold(event.tier, member_name, member)
            owns = tuple(member.own for _, member in members)
            self._chunks[event.tier].setdefault(name, []).append(owns)

    def _ancestors(self, name: BlockName, block: _Block, span: int) -> list[tuple[BlockName, _Block]]:
        members = [(name, block)]
        while len(members) < span and block.parent is not None:
            name, parent = block.parent, self._find(block.parent)
            if parent is None:
                break
            block = parent
            members.append((name, block))
        return members

    def _find(self, name: BlockName) -> _Block | None:
        return self._blocks.get(name) or self._gone.get(name)

    def _hold(self, tier: Tier, name: BlockName, block: _Block) -> None:
        self._gone.pop(name, None)
        self._blocks[name] = block
        self._names[block.own] = name
        self._held[tier][block.own] += 1

    def _release(self, tier: Tier, own: int) -> None:
        held = self._held[tier]
        if own not in held:
            return
        held[own] -= 1
        if held[own] > 0:
            return
        del held[own]
        if not any(own in other for other in self._held.values()):
            self._bury(self._names.pop(own))

    def _bury(self, name: BlockName) -> None:
        self._gone[name] = self._blocks.pop(name)
        if len(self._gone) > REMEMBERED_NAMES:
            self._gone.popitem(last=False)
