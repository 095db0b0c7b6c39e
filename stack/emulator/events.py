"""KV events in vLLM's encoding, and the journal in which one engine collects them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

import msgspec


class Medium(StrEnum):
    """Where a block is, in the engine's words; its own memory is GPU whatever the hardware."""

    GPU = "GPU"
    CPU = "CPU"
    STORAGE = "STORAGE"


class _Event(msgspec.Struct, omit_defaults=True, tag=True, kw_only=True):
    pass


class BlockStored(_Event):
    """Full blocks that became findable. Only the engine's own medium carries tokens and a block size."""

    block_hashes: list[int]
    parent_block_hash: int | None
    token_ids: list[int]
    block_size: int
    lora_id: int | None
    medium: Medium
    lora_name: str | None
    extra_keys: list[tuple[str, ...] | None] | None = None
    group_idx: int | None = None
    kv_cache_spec_kind: str | None = None
    locality: str | None = None  # REMOTE for a store that other engines share


class BlockRemoved(_Event):
    """Blocks that can no longer be found in `medium`."""

    block_hashes: list[int]
    medium: Medium
    group_idx: int | None = None


class AllBlocksCleared(_Event):
    """The engine's own cache is empty."""


class Batch(msgspec.Struct, array_like=True):
    """What one message carries."""

    ts: float
    events: list[BlockStored | BlockRemoved | AllBlocksCleared]
    data_parallel_rank: int


# Hashes of blocks, that of the block before them, their tokens, and the salt of the prompt they are of.
Describe = Callable[[Sequence[int], int | None, Sequence[int], str | None], None]


class Journal:
    """Events not yet published, in order. `wake` is called when the first one arrives, `describe` with every block's content."""

    def __init__(self, block_size: int, wake: Callable[[], None], describe: Describe | None = None) -> None:
        self._block_size = block_size
        self._wake = wake
        self._describe = describe
        self._events: list[BlockStored | BlockRemoved | AllBlocksCleared] = []

    def stored(
        self, hashes: Sequence[int], parent: int | None, tokens: Sequence[int], salt: str | None, adapter: str | None = None
    ) -> None:
        """The engine's own memory now holds `hashes`, which continue `parent`."""
        if self._describe is not None:  # to a cache server an adapter is one more tenant
            self._describe(hashes, parent, tokens, salt if adapter is None else f"{adapter} {salt or ''}")
        own = () if adapter is None else (adapter,)
        first = own if salt is None or parent is not None else (*own, salt)
        event = BlockStored(
            block_hashes=list(hashes),
            parent_block_hash=parent,
            token_ids=list(tokens),
            block_size=self._block_size,
            lora_id=None,
            medium=Medium.GPU,
            lora_name=adapter,  # the number that real engines tell beside it is for old readers
            extra_keys=[first or None, *[own or None] * (len(hashes) - 1)],
            group_idx=0,
            kv_cache_spec_kind="full_attention",
        )
        self._add(event)

    def offloaded(self, medium: Medium, hashes: Sequence[int]) -> None:
        """A tier behind the engine now holds `hashes`: one bare event a block, as native offloading sends them."""
        for block_hash in hashes:
            self._add(_bare(medium, block_hash))

    def removed(self, medium: Medium, hashes: Sequence[int]) -> None:
        """`medium` no longer holds `hashes`; the engine's own memory tells them one by one."""
        groups = [[block_hash] for block_hash in hashes] if medium is Medium.GPU else [list(hashes)]
        for group in groups:
            self._add(BlockRemoved(block_hashes=group, medium=medium, group_idx=0))

    def cleared(self) -> None:
        """The engine's own memory was emptied."""
        self._add(AllBlocksCleared())

    def take(self, now: float) -> Batch | None:
        """Everything since the last call as one batch; None when there is nothing. `now` is wall-clock seconds."""
        events, self._events = self._events, []
        return Batch(now, events, 0) if events else None

    def _add(self, event: BlockStored | BlockRemoved | AllBlocksCleared) -> None:
        self._events.append(event)
        if len(self._events) == 1:
            self._wake()


def _bare(medium: Medium, block_hash: int) -> BlockStored:
    return BlockStored(
        block_hashes=[block_hash],
        parent_block_hash=None,
        token_ids=[],
        block_size=0,
        lora_id=None,
        medium=medium,
        lora_name=None,
        group_idx=0,
        locality="REMOTE" if medium is Medium.STORAGE else None,
    )
