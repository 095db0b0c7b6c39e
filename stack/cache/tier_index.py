"""What lies behind the engines, as control relays it: which prompt tokens a cache server's L1 and the store would add."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import takewhile
from types import MappingProxyType

from msgspec.structs import replace

from stack.cache.chunk_walk import Walk, walk
from stack.cache.relay import STORE, CacheUpdate, RelayedLedger
from stack.model.chunk import CacheDoubt, Chunk
from stack.model.placement import EnginePlacement, Placement
from stack.model.target import Target
from stack.model.tier import Tier

CONTROL_SILENT_SECONDS = 15.0
Names = Callable[[Sequence[int], int], list[bytes]]


class _Ledger:
    """A router's copy of one tier. Claims are kept in the order of their last change, so that the oldest are first to go."""

    def __init__(self) -> None:
        self.said = RelayedLedger(server="")
        self._known: OrderedDict[Chunk, tuple[int, int]] = OrderedDict()

    def take(self, said: RelayedLedger) -> None:
        for chunk in said.chunks:
            key = Chunk(chunk.root, chunk.salt, chunk.name)
            self._known.pop(key, None)
            if chunk.known:
                self._known[key] = chunk.changed, chunk.known
        while self._known and next(iter(self._known.values()))[0] <= said.floor:
            self._known.popitem(last=False)
        self.said = said

    def doubt(self, chunk: Chunk) -> CacheDoubt | bool:
        """True: it is there; False: it is not; else why nobody knows."""
        said = self.said
        if said.silent is not None:
            return said.silent
        claim = self._known.get(chunk)
        if claim is None:
            return False if said.complete else said.doubt or CacheDoubt.PARTIAL
        return True if claim[1] > said.since else said.doubt or CacheDoubt.PARTIAL


class TierIndex:
    """Memory only; whoever asks control calls `take`. `names` names a prompt's chunks as the servers do, `knows` whether it can.

    `unknown` counts prompts for which a tier behind some engine could not be told, by tier and reason.
    """

    def __init__(self, names: Names, knows: Callable[[str | None], bool]) -> None:
        self._names = names
        self._knows = knows
        self._ledgers: dict[str, _Ledger] = {}
        self._epoch = 0
        self._version = 0
        self._taken_at: float | None = None
        self.unknown: Counter[tuple[Tier, CacheDoubt]] = Counter()

    @property
    def position(self) -> tuple[int, int]:
        """Epoch and version to ask control for what follows."""
        return self._epoch, self._version

    def take(self, update: CacheUpdate, now: float) -> None:
        """The answer to `position`. `now` is the clock of `behind`, in seconds."""
        if update.epoch != self._epoch:
            self._ledgers = {}
        # Before all of it is here, a chunk that is not here may still come.
        said = {ledger.server: replace(ledger, complete=ledger.complete and not update.more) for ledger in update.ledgers}
        for name in self._ledgers.keys() - said.keys():
            del self._ledgers[name]
        for name, ledger in said.items():
            self._ledgers.setdefault(name, _Ledger()).take(ledger)
        self._epoch, self._version, self._taken_at = update.epoch, update.version, now

    def behind(
        self,
        placement: Placement,
        tokens: Sequence[int],
        salt: str,
        targets: Iterable[Target],
        now: float,
        doubt: CacheDoubt | None = None,
    ) -> Placement:
        """`placement` with what L1 and L2 add for each engine whose target names a cache server; the others stay as they are.

        `doubt`: nothing can be told of this prompt, for that reason.
        """
        walks: dict[tuple[str, str], Walk] = {}
        named = cache(lambda root, size: [Chunk(root, salt, name) for name in self._names(tokens, size)])
        placed: dict[str, EnginePlacement] = {}
        for target in targets:
            held = placement.engines.get(target.replica)
            if held is None or target.cache_server is None:
                continue
            key = target.cache_server, target.model_root
            if key not in walks:
                found = Walk.blind(len(tokens), self.chunk_tokens(target.cache_server) or 1, doubt) if doubt is not None else None
                walks[key] = found or self._walk(target.cache_server, target.model_root, named, len(tokens), now)
            placed[target.replica] = self._placed(held, walks[key], target.cache_server, now)
        if not placed:
            return placement
        self.unknown.update({(tier, reason) for held in placed.values() for tier, reason in held.doubts})
        return replace(placement, engines=MappingProxyType({**placement.engines, **placed}))

    def held(self, tier: Tier, server: str, root: str, tokens: Sequence[int]) -> tuple[int, int] | None:
        """Tokens of a prompt's whole chunks: those up to the first that is not known to lie in L1 of `server` (the store); all.

        None while the server's chunks cannot be named. Unlike `behind` this asks one tier alone: KV may lie in both.
        """
        own, ledger = self._ledgers.get(server), self._ledgers.get(server if tier is Tier.L1 else STORE)
        if own is None or ledger is None or own.said.chunk_tokens is None or not self._knows(own.said.algorithm):
            return None
        size = own.said.chunk_tokens
        chunks = [Chunk(root, "", name) for name in self._names(tokens, size)]
        known = sum(1 for _ in takewhile(lambda chunk: ledger.doubt(chunk) is True, chunks))
        return known * size, len(chunks) * size

    def chunks(self, server: str, tier: Tier, now: float) -> int | None:
        """Chunks known beyond doubt in the L1 of a cache server, or in the store behind it; None when they are not known."""
        ledger = self._ledgers.get(server if tier is Tier.L1 else STORE)
        if ledger is None or self._silence(now) is not None or ledger.said.silent is not None or ledger.said.doubt is not None:
            return None
        return ledger.said.held

    def chunk_tokens(self, server: str) -> int | None:
        """Tokens a chunk of `server`, None when it did not say."""
        ledger = self._ledgers.get(server)
        return None if ledger is None else ledger.said.chunk_tokens

    def _silence(self, now: float) -> CacheDoubt | None:
        return CacheDoubt.CONTROL_SILENT if self._taken_at is None or now - self._taken_at > CONTROL_SILENT_SECONDS else None

    def _walk(self, server: str, root: str, named: Callable[[str, int], list[Chunk]], prompt_tokens: int, now: float) -> Walk:
        own, store = self._ledgers.get(server), self._ledgers.get(STORE)
        if (silent := self._silence(now)) is not None or own is None or store is None:
            return Walk.blind(prompt_tokens, 1, silent or CacheDoubt.UNHEARD)
        size = own.said.chunk_tokens
        if size is None or not self._knows(own.said.algorithm):
            return Walk.blind(prompt_tokens, size or 1, CacheDoubt.UNHEARD if size is None else CacheDoubt.UNKNOWN_HASH)
        return walk(named(root, size), size, prompt_tokens, own.doubt, store.doubt)

    def _placed(self, held: EnginePlacement, found: Walk, server: str, now: float) -> EnginePlacement:
        l1, l2, doubts = found.beyond(held.engine_tokens)
        return replace(
            held,
            l1_tokens=l1,
            l2_tokens=l2,
            l1_age_seconds=self._age(server, now),
            l2_age_seconds=self._age(STORE, now),
            doubts=doubts,
        )

    def _age(self, name: str, now: float) -> float | None:
        ledger = self._ledgers.get(name)
        if ledger is None or ledger.said.age_seconds is None or self._taken_at is None:
            return None
        return ledger.said.age_seconds + max(now - self._taken_at, 0.0)
