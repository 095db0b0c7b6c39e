"""What an engine says about its KV cache, in our own words: whichever engine said it, and however."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stack.model.tier import Tier

BlockName = int  # from an engine's own hash of a block: unique within that engine, meaningless outside it


class Source(NamedTuple):
    """Who says it: an engine, and which of its data-parallel ranks. Each rank has a cache and a stream of events of its own."""

    engine: str
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Stored:
    """Blocks that `tier` holds from now on, the first of them following `parent` (None: the prompt's beginning).

    `tokens` are those of all `blocks` in order, `block_tokens` to each; empty when the engine refers to blocks it has
    described before. `extras` tell blocks of equal tokens apart (a salt, an adapter, an image), one for each block, None
    for a plain one; empty when the engine gave none.
    """

    blocks: Sequence[BlockName]
    parent: BlockName | None
    tokens: Sequence[int]
    block_tokens: int
    tier: Tier
    extras: Sequence[bytes | None] = ()


@dataclass(frozen=True, slots=True)
class Removed:
    """Blocks that `tier` no longer holds."""

    blocks: Sequence[BlockName]
    tier: Tier


@dataclass(frozen=True, slots=True)
class Cleared:
    """The engine dropped its whole cache."""


KvEvent = Stored | Removed | Cleared


@dataclass(frozen=True, slots=True)
class KvBatch:
    """What one engine step changed. `at` is the engine's own clock (Unix seconds): it orders, it does not tell age."""

    at: float
    events: tuple[KvEvent, ...]

    @property
    def blocks(self) -> int:
        """How many blocks its events are about."""
        return sum(len(event.blocks) for event in self.events if not isinstance(event, Cleared))
