"""Where in the fleet a prompt's KV lies: fed by events, asked by token ids."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from stack.cache.chains import Chains
from stack.cache.engine_blocks import EngineBlocks, Unplaced
from stack.cache.followed import Followed, Knowledge
from stack.cache.held import Held
from stack.cache.holders import Holders, Slots
from stack.cache.placing import place
from stack.model.kv_event import Cleared, KvBatch, Source, Stored
from stack.model.placement import Placement
from stack.model.tier import Tier


@dataclass(frozen=True, slots=True)
class IndexLimits:
    """How many blocks are kept, of one source and of all; what is beyond is refused, counted, and makes the placement partial."""

    per_source: int
    total: int


# Of prompts that were looked up: at 64-bit hashes of 16 tokens each some 25 million tokens.
CHAIN_BYTES = 16 << 20
UNLIMITED = IndexLimits(per_source=sys.maxsize, total=sys.maxsize)


class BlockIndex:
    """Which engine holds which blocks. Everything in it was said by an engine; memory follows what engines hold, up to `limits`.

    A source counts only between `follow` and `forget`; what its placement is worth at which time, `Followed` rules.
    `chain_bytes` bounds what is kept of prompts that were looked up.
    """

    def __init__(self, limits: IndexLimits = UNLIMITED, chain_bytes: int = CHAIN_BYTES) -> None:
        self._limits = limits
        self._holders = {tier: Holders() for tier in Tier}
        self._slots = Slots()
        self._chains = Chains(chain_bytes)
        self._engines: defaultdict[str, dict[int, Followed]] = defaultdict(dict)
        self._unplaced: defaultdict[str, Counter[Unplaced]] = defaultdict(Counter)
        self._leaving: deque[tuple[Held, Iterator[int]]] = deque()
        self._entries = 0

    def follow(self, source: Source, late_at: float | None = None) -> None:
        """Begin anew with a source whose events are heard from here on: it holds nothing that is known yet.

        `late_at`: it had stored something before that time, which nobody can tell any more.
        """
        self._drop(source)
        blocks = EngineBlocks(self._holders, self._slots.take(), self._unplaced[source.engine])
        followed = self._engines[source.engine][source.rank] = Followed(blocks, source.rank)
        if late_at is not None:
            followed.begun_late(late_at)

    def forget(self, engine: str) -> None:
        """The engine is gone; its placement is unknown."""
        for rank in list(self._engines.get(engine, ())):
            self._drop(Source(engine, rank))
        self._engines.pop(engine, None)
        self._unplaced.pop(engine, None)

    def lost(self, source: Source, now: float) -> None:
        """Events were missed for good."""
        if (followed := self._followed(source)) is None:
            self.follow(source, late_at=now)
        else:
            before = len(followed.blocks)
            self._leave(followed.lost(now, self._slots.take()))
            self._entries += len(followed.blocks) - before

    def silent(self, source: Source) -> None:
        """The source's publisher does not answer: what is known stays, but is not trusted until `seen`."""
        if (followed := self._followed(source)) is not None:
            followed.silent = True

    def seen(self, source: Source, at: float) -> None:
        """The source was heard of at `at` (seconds, the clock of `lookup`), and nothing was missed."""
        if (followed := self._followed(source)) is not None:
            followed.seen_at, followed.silent = at, False

    def apply(self, source: Source, batch: KvBatch, now: float) -> None:
        """What a followed source says happened; of any other it is dropped."""
        followed = self._followed(source)
        if followed is None:
            return
        for event in batch.events:
            if isinstance(event, Cleared):
                self.follow(source)
                followed = self._engines[source.engine][source.rank]
                continue
            before = len(followed.blocks)
            if isinstance(event, Stored):
                room = max(min(self._limits.per_source - before, self._limits.total - self._entries), 0)
                followed.stored(event, room, now)
            else:
                self._leave(followed.removed(event))
            self._entries += len(followed.blocks) - before
        followed.seen_at, followed.silent = now, False

    def lookup(self, tokens: Sequence[int], engines: Iterable[str], now: float, extras: Sequence[bytes | None] = ()) -> Placement:
        """What each of `engines` that is known can reach of a prompt. `extras` as in the events: a salt's, an adapter's.

        The last token always has to be computed, so a block that ends with it never counts (vLLM's own rule). An engine
        with several ranks can reach what the best of them can.
        """
        asked = {name: tuple(ranks.values()) for name in engines if (ranks := self._engines.get(name))}
        return place(tokens, extras, asked, self._holders, self._chains, now)

    def sweep(self, blocks: int) -> bool:
        """Let go of up to `blocks` of engines that were forgotten or cleared, which leave theirs behind. Whether there are more."""
        while self._leaving and blocks > 0:
            held, owned = self._leaving[0]
            swept = list(islice(owned, blocks))
            for block in swept:
                held.release(block)
            if len(swept) < blocks:
                self._slots.give_back(held.bit)
                self._leaving.popleft()
            blocks -= max(len(swept), 1)
        return bool(self._leaving)

    def blocks(self, engine: str, tier: Tier) -> int | None:
        """Distinct blocks known in one tier of an engine, rank by rank; None when nothing is known, or never was of the tier."""
        known = [f.blocks for f in self._ranks(engine) if f.knowledge is not Knowledge.UNKNOWN and f.blocks.tells(tier)]
        return sum(blocks.count(tier) for blocks in known) if known else None

    def block_tokens(self, engine: str) -> int | None:
        """Tokens a block of an engine has, None until its events told."""
        return next((followed.blocks.block_tokens for followed in self._ranks(engine)), None)

    def knowledge(self, engine: str) -> Knowledge:
        """What the engine's placement is worth: of its ranks' worths the same, or else partial."""
        ranks = {followed.knowledge for followed in self._ranks(engine)}
        return ranks.pop() if len(ranks) == 1 else Knowledge.PARTIAL if ranks else Knowledge.UNKNOWN

    def account(self, engine: str, now: float) -> str:
        """Why the placement is partial and since when, in words; empty when there is nothing to say."""
        partial = [(f.partial_since, f.cause) for f in self._ranks(engine) if f.partial_since is not None]
        if not partial:
            return ""
        since, cause = max(partial, key=lambda pair: pair[0])
        return f"KV placement partial for {max(now - since, 0.0):.0f} s ({cause})"

    def unplaced(self, engine: str) -> Mapping[Unplaced, int]:
        """Blocks an engine reported that could not be placed, by reason, since it is followed."""
        return self._unplaced.get(engine, {})

    def _ranks(self, engine: str) -> Iterable[Followed]:
        return list(self._engines.get(engine, {}).values())  # a scrape may ask in a thread

    def _followed(self, source: Source) -> Followed | None:
        ranks = self._engines.get(source.engine)
        return None if ranks is None else ranks.get(source.rank)

    def _drop(self, source: Source) -> None:
        followed = self._engines.get(source.engine, {}).pop(source.rank, None)
        if followed is not None:
            self._entries -= len(followed.blocks)
            self._leave(followed.blocks.certain)
            self._leave(followed.blocks.doubted)

    def _leave(self, held: Held | None) -> None:
        if held is not None:
            self._leaving.append((held, held.names.values()))
