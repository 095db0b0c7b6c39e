"""Where in the fleet a prompt's KV lies: one EngineBlocks an engine, fed by events, asked by token ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import MappingProxyType

from stack.cache.blocks import ROOT, block_hashes
from stack.cache.engine_blocks import EngineBlocks
from stack.model.kv_event import Cleared, KvEvent, Stored
from stack.model.placement import EnginePlacement, Placement, UnknownReason
from stack.model.tier import Tier


class _Followed:
    """An engine with its blocks, when it was last heard of, and how many blocks make it trusted again after a loss."""

    __slots__ = ("blocks", "relearn", "seen_at", "silent")

    def __init__(self, relearn: int = 0) -> None:
        self.blocks = EngineBlocks()
        self.seen_at: float | None = None
        self.relearn = relearn
        self.silent = False

    @property
    def trusted(self) -> bool:
        return self.relearn == 0 and not self.silent


class BlockIndex:
    """Which engine holds which blocks. Everything in it was said by an engine; memory follows what engines hold.

    An engine counts only between `follow` and `forget`, and after `lost` not until it has stored as many blocks as it
    held before: by then its cache has turned over and what was missed is gone from it as well.
    """

    def __init__(self) -> None:
        self._engines: dict[str, _Followed] = {}

    def follow(self, engine: str) -> None:
        """Begin anew with an engine whose events are heard from here on: it holds nothing that is known yet."""
        self._engines[engine] = _Followed()

    def forget(self, engine: str) -> None:
        """The engine is gone; its placement is unknown."""
        self._engines.pop(engine, None)

    def lost(self, engine: str) -> None:
        """Events were missed for good: nothing known is certain any more."""
        followed = self._engines.get(engine)
        held = 0 if followed is None else max(followed.blocks.count(Tier.ENGINE), followed.relearn)
        self._engines[engine] = _Followed(relearn=max(held, 1))

    def silent(self, engine: str) -> None:
        """The engine's event publisher does not answer: what is known stays, but is not trusted until `seen`."""
        if engine in self._engines:
            self._engines[engine].silent = True

    def seen(self, engine: str, at: float) -> None:
        """The engine was heard of at `at` (seconds, the clock of `lookup`), and nothing was missed."""
        followed = self._engines.get(engine)
        if followed is not None:
            followed.seen_at, followed.silent = at, False

    def apply(self, engine: str, event: KvEvent) -> None:
        """One event of an engine that is followed; of any other it is dropped."""
        followed = self._engines.get(engine)
        if followed is None:
            return
        if isinstance(event, Cleared):
            followed.blocks, followed.relearn = EngineBlocks(), 0
        elif isinstance(event, Stored):
            followed.blocks.stored(event)
            if followed.blocks.count(Tier.ENGINE) >= followed.relearn:
                followed.relearn = 0
        else:
            followed.blocks.removed(event)

    def lookup(self, tokens: Sequence[int], engines: Iterable[str], now: float, extras: Sequence[bytes | None] = ()) -> Placement:
        """What each trusted one of `engines` can reach of a prompt. `extras` as in the events: a salt's, an adapter's.

        The last token always has to be computed, so a block that ends with it never counts (vLLM's own rule).
        """
        chains: dict[int, list[int]] = {}
        placed: dict[str, EnginePlacement] = {}
        for name in engines:
            followed = self._engines.get(name)
            if followed is None or not followed.trusted:
                continue
            size = followed.blocks.block_tokens
            if size is not None and size not in chains:
                whole = (len(tokens) - 1) // size * size
                chains[size] = block_hashes(ROOT, tokens[:whole], size, extras) if whole > 0 else []
            placed[name] = _placement(followed, [] if size is None else chains[size], now)
        reason = None if placed else UnknownReason.NO_TRUSTED_ENGINE
        return Placement(MappingProxyType(placed), len(tokens), reason)

    def blocks(self, engine: str, tier: Tier) -> int | None:
        """Distinct blocks known in one tier of an engine; None when it is not trusted, or never spoke of the tier."""
        followed = self._engines.get(engine)
        if followed is None or not followed.trusted or not followed.blocks.tells(tier):
            return None
        return followed.blocks.count(tier)

    def unresolved(self, engine: str) -> int:
        """Blocks an engine reported that could not be placed, since it is followed."""
        followed = self._engines.get(engine)
        return 0 if followed is None else followed.blocks.unresolved


def _placement(followed: _Followed, chain: Sequence[int], now: float) -> EnginePlacement:
    own, l1, l2 = followed.blocks.reachable(chain)
    size = followed.blocks.block_tokens or 0
    age = None if followed.seen_at is None else max(now - followed.seen_at, 0.0)
    return EnginePlacement(own * size, l1 * size, l2 * size, age)
